// One labelled control: a line of text, several lines, a choice, a box to tick, or a row of exclusive choices.
// Values and labels are texts; nothing here becomes markup.
import { h } from "vue";

let made = 0;

export default {
  props: {
    kind: { type: String, default: "text" }, // text, number, search, area, select, check, segments
    label: String,
    hideLabel: Boolean,
    help: String,
    error: String,
    value: [String, Number, Boolean],
    options: Array, // [{value, label, tint}]
    disabled: Boolean,
    delay: { type: Number, default: 350 },
    placeholder: String,
    rows: { type: Number, default: 4 },
    min: Number,
    max: Number,
    step: [Number, String],
    list: Array, // suggestions
    name: String, // for tests and for browsers: data-name
  },
  emits: ["change"],
  data() {
    made += 1;
    return { own: this.value ?? "", id: "field-" + made, timer: null, focused: false };
  },
  watch: {
    value(next) {
      // What the reader types is not overwritten by what the server still believes.
      if (this.timer === null && !(this.focused && ["text", "search", "area", "number"].includes(this.kind)))
        this.own = next ?? "";
      else if (next !== this.own && !this.focused) this.own = next ?? "";
    },
  },
  methods: {
    typed(event) {
      this.own = event.target.value;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.tell(), this.delay);
    },
    tell() {
      clearTimeout(this.timer);
      this.timer = null;
      if (this.own !== this.value) this.$emit("change", this.own);
    },
    chosen(value) {
      if (value === this.own) return;
      this.own = value;
      this.$emit("change", value);
    },
    blurred() {
      this.focused = false;
      if (this.timer !== null) this.tell();
    },
    described() {
      const parts = [];
      if (this.help) parts.push(this.id + "-help");
      if (this.error) parts.push(this.id + "-error");
      return parts.join(" ") || undefined;
    },
    control() {
      const shared = {
        id: this.id,
        "data-name": this.name,
        disabled: this.disabled,
        "aria-describedby": this.described(),
        "aria-invalid": this.error ? "true" : undefined,
        "aria-label": this.hideLabel ? this.label : undefined,
        onFocus: () => (this.focused = true),
        onBlur: this.blurred,
      };
      if (this.kind === "select")
        return h(
          "select",
          { ...shared, onChange: (event) => this.chosen(event.target.value) },
          (this.options || []).map((o) =>
            h("option", { value: o.value, selected: String(o.value) === String(this.own), disabled: o.disabled }, o.label),
          ),
        );
      if (this.kind === "area")
        return h("textarea", { ...shared, rows: this.rows, value: this.own, spellcheck: false, onInput: this.typed });
      if (this.kind === "check")
        return h("input", { ...shared, type: "checkbox", checked: !!this.own, onChange: (e) => this.chosen(e.target.checked) });
      return h("input", {
        ...shared,
        type: this.kind,
        value: this.own,
        placeholder: this.placeholder,
        min: this.min,
        max: this.max,
        step: this.step,
        autocomplete: "off",
        list: this.list ? this.id + "-list" : undefined,
        onInput: this.typed,
        onKeydown: (event) => event.key === "Enter" && this.tell(),
      });
    },
    segments() {
      return h(
        "fieldset",
        { class: "segments", disabled: this.disabled, "aria-describedby": this.described() },
        [
          h("legend", { class: this.hideLabel ? "unseen" : "" }, this.label),
          h(
            "div",
            { class: "segment-row" },
            (this.options || []).map((o) =>
              h("label", { class: ["segment", o.tint ? "tint-" + o.tint : "", this.own === o.value ? "on" : ""] }, [
                h("input", {
                  type: "radio",
                  name: this.id,
                  value: o.value,
                  "data-name": this.name,
                  checked: this.own === o.value,
                  onChange: () => this.chosen(o.value),
                }),
                h("span", o.label),
              ]),
            ),
          ),
        ],
      );
    },
  },
  render() {
    const parts = [];
    if (this.kind === "segments") parts.push(this.segments());
    else if (this.kind === "check")
      parts.push(h("label", { class: "tick", for: this.id }, [this.control(), h("span", this.label)]));
    else {
      if (!this.hideLabel) parts.push(h("label", { for: this.id }, this.label));
      parts.push(this.control());
    }
    if (this.list) parts.push(h("datalist", { id: this.id + "-list" }, this.list.map((v) => h("option", { value: v }))));
    if (this.help) parts.push(h("p", { class: "help", id: this.id + "-help" }, this.help));
    if (this.error) parts.push(h("p", { class: "error", role: "alert", id: this.id + "-error" }, this.error));
    return h("div", { class: "field field-" + this.kind }, parts);
  },
};
