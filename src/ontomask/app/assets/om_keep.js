// Content that is drawn anew: the page keeps its height and its place, and the focus returns to what had it.
import { h } from "vue";

const key = (e) => {
  if (!e || !e.tagName) return null;
  const text = e.textContent.trim().slice(0, 60);
  return [e.tagName, /^(c|field-|upload-)\d+$/.test(e.id) ? "" : e.id, e.dataset?.name, e.type === "radio" ? e.value : "", e.getAttribute("aria-label"), /^(BUTTON|A|SUMMARY)$/.test(e.tagName) ? text : ""].join("|");
};

export default {
  beforeUpdate() {
    const held = document.activeElement;
    if (this.$el.contains(held) && held !== this.$el) this.focused = { key: key(held), until: performance.now() + 1500 };
    this.$el.style.minHeight = this.$el.offsetHeight + "px";
    clearTimeout(this.later);
    this.later = setTimeout(() => (this.$el.style.minHeight = ""), 500);
  },
  updated() {
    this.$nextTick(() => this.restore());
  },
  methods: {
    restore() {
      const wanted = this.focused;
      if (!wanted || performance.now() > wanted.until || (document.activeElement && document.activeElement !== document.body)) return;
      const found = [...this.$el.querySelectorAll("button, a, input, select, textarea, summary, [tabindex]")].find((e) => key(e) === wanted.key);
      if (found) found.focus({ preventScroll: true });
      else this.$el.focus({ preventScroll: true });
    },
  },
  render() {
    return h("div", { tabindex: -1, class: "kept" }, this.$slots.default?.());
  },
};
