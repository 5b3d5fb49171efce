// A table of any length: only the rows in view exist, windows of rows come from the server as they are needed.
// With several panes (before, after) the panes scroll as one. Cells are texts, never markup; no key comes from the data.
import { h } from "vue";

const ROW = 30;
const PAGE = 100;
const TALLEST = 8000000; // pixels: what every browser can scroll

export default {
  props: {
    src: String,
    columns: Array, // [{name, tint, note}]
    panes: { type: Array, default: () => [{ key: "rows", title: "" }] },
    total: { type: Number, default: 0 },
    label: String,
    empty: { type: String, default: "No rows." },
    numbered: { type: Boolean, default: true },
    height: { type: Number, default: 420 },
    widest: { type: Number, default: 280 }, // pixels of a column
  },
  data() {
    return { top: 0, first: 0, pages: {}, count: this.total, asked: {}, failed: "", widths: [], view: this.height };
  },
  watch: {
    src() {
      this.pages = {};
      this.asked = {};
      this.widths = [];
      this.count = this.total;
      for (const pane of this.scrollers()) pane.scrollTop = 0;
      this.look(0);
    },
    total(next) {
      this.count = next;
    },
  },
  mounted() {
    this.look(0);
  },
  computed: {
    tall() {
      return Math.min(this.count * ROW, TALLEST);
    },
  },
  methods: {
    scrollers() {
      return [...(this.$el?.querySelectorAll?.(".grid-scroll") || [])];
    },
    look(top) {
      const room = Math.ceil(this.height / ROW) + 2;
      const most = Math.max(0, this.count - room + 2);
      const share = this.tall > this.height ? top / (this.tall + ROW - this.height) : 0;
      this.top = top;
      this.first = this.count * ROW <= TALLEST ? Math.floor(top / ROW) : Math.min(most, Math.round(share * most));
      const last = this.first + room;
      clearTimeout(this.later);
      this.later = setTimeout(() => {
        for (let page = Math.floor(this.first / PAGE); page <= Math.floor(last / PAGE); page++) this.fetch(page);
      }, this.pages[Math.floor(this.first / PAGE)] ? 0 : 40);
    },
    async fetch(page) {
      if (this.asked[page] || (page > 0 && page * PAGE >= this.count)) return;
      this.asked[page] = true;
      const src = this.src;
      try {
        const answer = await fetch(`${src}${src.includes("?") ? "&" : "?"}offset=${page * PAGE}&limit=${PAGE}`, {
          credentials: "same-origin",
        });
        const told = await answer.json();
        if (src !== this.src) return;
        if (!answer.ok) throw new Error(told.error || "The rows could not be read.");
        this.count = told.total;
        this.pages[page] = told;
        this.failed = "";
        if (!this.widths.length) this.widths = this.measured(told);
      } catch (reason) {
        delete this.asked[page];
        if (src === this.src) this.failed = String(reason.message || reason);
      }
    },
    measured(told) {
      return this.columns.map((column, place) => {
        let longest = Math.max(String(column.name).length + 2, 0.8 * (column.note || "").length);
        for (const pane of this.panes)
          for (const row of told[pane.key] || []) longest = Math.max(longest, row ? String(row[place] ?? "").length : 0);
        return Math.max(64, Math.min(this.widest, Math.round(longest * 7.4 + 24)));
      });
    },
    scrolled(event) {
      const moved = event.target;
      for (const pane of this.scrollers())
        if (pane !== moved) {
          if (pane.scrollTop !== moved.scrollTop) pane.scrollTop = moved.scrollTop;
          if (pane.scrollLeft !== moved.scrollLeft) pane.scrollLeft = moved.scrollLeft;
        }
      this.look(moved.scrollTop);
    },
    cells(pane, index) {
      const page = this.pages[Math.floor(index / PAGE)];
      const row = page?.[pane.key]?.[index % PAGE];
      const marks = page?.changed?.[index % PAGE];
      const number = this.numbered
        ? [h("div", { class: "grid-cell grid-number", role: "rowheader" }, page?.numbers?.[index % PAGE] ?? (index + 1).toLocaleString("en"))]
        : [];
      if (page && row === null)
        return [...number, h("div", { class: "grid-cell grid-gone", role: "cell" }, "not released")];
      return [
        ...number,
        ...this.columns.map((column, place) => {
          const value = row?.[place];
          const text = row === undefined ? "…" : value === null ? "—" : String(value);
          const changed = marks?.[place] && pane.marked;
          return h(
            "div",
            { class: ["grid-cell", changed ? "changed" : "", value === null ? "missing" : ""], role: "cell", title: text.length > 30 ? text : undefined },
            changed ? h("mark", text) : text,
          );
        }),
      ];
    },
    pane(pane, place) {
      const widths = this.columns.map((_, i) => (this.widths[i] || 120) + "px");
      const template = (this.numbered ? ["58px"] : []).concat(widths).join(" ");
      const room = Math.ceil(this.height / ROW) + 2;
      const rows = [];
      const plain = this.count * ROW <= TALLEST;
      for (let i = this.first; i < Math.min(this.count, this.first + room); i++) {
        const y = plain ? i * ROW : this.top + (i - this.first) * ROW;
        rows.push(
          h(
            "div",
            { key: i % (room + 1), class: ["grid-row", i % 2 ? "odd" : ""], role: "row", "aria-rowindex": i + 2, style: { gridTemplateColumns: template, transform: `translateY(${y}px)` } },
            this.cells(pane, i),
          ),
        );
      }
      return h("div", { class: "grid-pane", key: place }, [
        pane.title ? h("h3", { class: "grid-title" }, pane.title) : null,
        h(
          "div",
          { class: "grid-scroll", tabindex: 0, role: "table", "aria-label": [this.label, pane.title].filter(Boolean).join(": "), "aria-rowcount": this.count + 1, style: { maxHeight: this.height + "px" }, onScrollPassive: this.scrolled },
          [
            h("div", { class: "grid-head", role: "row", "aria-rowindex": 1, style: { gridTemplateColumns: template } }, [
              ...(this.numbered ? [h("div", { class: "grid-cell grid-number", role: "columnheader" }, "row")] : []),
              ...this.columns.map((column) =>
                h("div", { class: ["grid-cell", column.tint ? "tint-" + column.tint : ""], role: "columnheader", title: column.name }, [
                  h("span", { class: "grid-name" }, column.name),
                  column.note ? h("span", { class: "grid-note" }, column.note) : null,
                ]),
              ),
            ]),
            h("div", { class: "grid-body", role: "rowgroup", style: { height: this.tall + "px" } }, rows),
          ],
        ),
      ]);
    },
  },
  render() {
    const parts = this.panes.map((pane, place) => this.pane(pane, place));
    if (this.failed) parts.push(h("p", { class: "error", role: "alert" }, this.failed));
    else if (!this.count) parts.push(h("p", { class: "help" }, this.empty));
    return h("div", { class: ["grid", "panes-" + this.panes.length] }, parts);
  },
};
