// A dialog or a drawer: the browser's own, which keeps the focus inside and closes with Escape.
import { h } from "vue";

export default {
  props: { open: Boolean, label: String, drawer: Boolean },
  emits: ["close"],
  mounted() {
    this.sync();
  },
  updated() {
    this.sync();
  },
  methods: {
    sync() {
      if (this.open && !this.$el.open) this.$el.showModal();
      if (!this.open && this.$el.open) this.$el.close();
    },
  },
  render() {
    return h(
      "dialog",
      {
        class: this.drawer ? "drawer" : "box",
        "aria-label": this.label,
        onClose: () => this.open && this.$emit("close"),
        onClick: (event) => event.target === this.$el && this.$el.close(),
      },
      this.open ? [h("div", { class: "dialog-body" }, this.$slots.default?.())] : [],
    );
  },
};
