// Light, dark, or as the system wishes. The choice stays in this browser.
import { h } from "vue";

const NEXT = { auto: "dark", dark: "light", light: "auto" };
const WORDS = { auto: "system", dark: "dark", light: "light" };

export default {
  data() {
    return { theme: document.documentElement.dataset.theme || "auto" };
  },
  methods: {
    next() {
      this.theme = NEXT[this.theme];
      document.documentElement.dataset.theme = this.theme;
      try {
        localStorage.setItem("ontomask-theme", this.theme);
      } catch {
        // a browser without storage: the choice lasts as long as the page
      }
    },
  },
  render() {
    return h("button", { type: "button", class: "quiet", onClick: this.next, "aria-label": `Theme: ${WORDS[this.theme]}. Change` }, [
      h("span", "Theme"),
      h("span", { class: "wide-only" }, WORDS[this.theme]),
    ]);
  },
};
