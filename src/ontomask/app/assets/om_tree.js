// A branch of a taxonomy: children are fetched when a node is opened, at most a window of them at a time.
import { h } from "vue";

const WINDOW = 200;

export default {
  props: { src: String, label: String, choosable: Boolean },
  emits: ["choose"],
  data() {
    return { roots: null, here: 0, failed: "", busy: false };
  },
  watch: {
    src() {
      this.start();
    },
  },
  mounted() {
    this.start();
  },
  methods: {
    async start() {
      this.roots = null;
      const root = { code: "", open: true, nodes: [], total: 0, level: 0, loaded: false };
      await this.load(root);
      this.roots = root;
      if (root.nodes.length === 1) await this.toggle(root.nodes[0], true);
    },
    async load(node) {
      const code = node.code ? `&concept=${encodeURIComponent(node.code)}` : "";
      this.busy = true;
      try {
        const answer = await fetch(
          `${this.src}${this.src.includes("?") ? "&" : "?"}offset=${node.nodes.length}&limit=${WINDOW}${code}`,
          { credentials: "same-origin" },
        );
        const told = await answer.json();
        if (!answer.ok) throw new Error(told.error || "The taxonomy could not be read.");
        node.total = told.total;
        node.loaded = true;
        for (const found of told.nodes)
          node.nodes.push({ ...found, open: false, nodes: [], total: found.children, level: node.level + 1, parent: node });
        this.failed = "";
      } catch (reason) {
        this.failed = String(reason.message || reason);
      }
      this.busy = false;
    },
    async toggle(node, open) {
      if (!node.children) return;
      if (open && !node.loaded) await this.load(node);
      node.open = open;
      this.$forceUpdate();
    },
    flat() {
      const rows = [];
      const walk = (node) => {
        for (const child of node.nodes) {
          rows.push({ node: child });
          if (child.open) walk(child);
        }
        if (node.nodes.length < node.total) rows.push({ more: node, level: node.level + 1 });
      };
      if (this.roots) walk(this.roots);
      return rows;
    },
    focus(place) {
      this.here = place;
      this.$nextTick(() => this.$el.querySelectorAll("[role=treeitem]")[place]?.focus());
    },
    async act(row) {
      if (row.more) {
        await this.load(row.more);
        this.$forceUpdate();
      } else await this.toggle(row.node, !row.node.open);
    },
    async key(event, row, place, rows) {
      const moves = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: rows.length - 1 };
      if (event.key in moves) this.focus(Math.max(0, Math.min(rows.length - 1, moves[event.key])));
      else if (event.key === "ArrowRight") row.node && row.node.open ? this.focus(place + 1) : await this.act(row);
      else if (event.key === "ArrowLeft" && row.node) {
        if (row.node.open) await this.toggle(row.node, false);
        else this.focus(Math.max(0, rows.findIndex((other) => other.node === row.node.parent)));
      } else if (event.key === "Enter" && this.choosable && row.node) this.$emit("choose", row.node.code);
      else if (event.key === "Enter" || event.key === " ") await this.act(row);
      else return;
      event.preventDefault();
    },
    item(row, place, rows) {
      const level = row.more ? row.level : row.node.level;
      const shared = {
        role: "treeitem",
        "aria-level": level,
        tabindex: place === this.here ? 0 : -1,
        class: ["tree-row", row.more ? "tree-more" : ""],
        style: { paddingLeft: 8 + (level - 1) * 20 + "px" },
        onKeydown: (event) => this.key(event, row, place, rows),
        onClick: () => {
          this.here = place;
          this.act(row);
        },
      };
      if (row.more)
        return h("li", shared, `${(row.more.total - row.more.nodes.length).toLocaleString("en")} more: show the next ${WINDOW}`);
      const node = row.node;
      return h("li", { ...shared, "aria-expanded": node.children ? String(node.open) : undefined }, [
        h("span", { class: "tree-sign", "aria-hidden": "true" }, node.children ? (node.open ? "▾" : "▸") : "·"),
        h("span", { class: "tree-code" }, node.code),
        h("span", { class: "tree-label" }, node.label && node.label !== node.code ? node.label : ""),
        node.records ? h("span", { class: "tree-count" }, `${node.records.toLocaleString("en")} records`) : null,
        this.choosable
          ? h("button", { class: "small", type: "button", tabindex: -1, onClick: (e) => (e.stopPropagation(), this.$emit("choose", node.code)) }, "this one")
          : null,
      ]);
    },
  },
  render() {
    const rows = this.flat();
    return h("div", { class: "tree", "aria-busy": String(this.busy) }, [
      h("ul", { role: "tree", "aria-label": this.label }, rows.map((row, place) => this.item(row, place, rows))),
      this.failed ? h("p", { class: "error", role: "alert" }, this.failed) : null,
    ]);
  },
};
