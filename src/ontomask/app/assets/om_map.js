// The risk-utility map: one point for each candidate, loss to the right, risk upwards. A point is a button.
import { h } from "vue";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [640, 380, 62, 24, 18, 52];

const ticks = (top) => {
  const step = [1, 2, 5, 10, 20, 25].find((s) => top / s <= 6) || 50;
  return Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, i) => i * step);
};

export default {
  props: { points: Array, xLabel: String, yLabel: String, label: String }, // {name, x, y, frontier, chosen, shape}
  emits: ["choose"],
  data() {
    return { at: -1 };
  },
  render() {
    // A loss beyond 100% is drawn at the edge; its figure says what it is.
    const top = (key) => Math.min(104, Math.max(5, Math.max(0, ...this.points.map((p) => p[key])) * 1.1));
    const [mx, my] = [top("x"), top("y")];
    const sx = (v) => LEFT + ((WIDTH - LEFT - RIGHT) * Math.min(v, mx)) / mx;
    const sy = (v) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * v) / my;
    const grid = [];
    for (const v of ticks(mx)) {
      grid.push(h("line", { class: "map-line", x1: sx(v), x2: sx(v), y1: TOP, y2: HEIGHT - BOTTOM }));
      grid.push(h("text", { class: "map-text", x: sx(v), y: HEIGHT - BOTTOM + 18, "text-anchor": "middle" }, `${v}%`));
    }
    for (const v of ticks(my)) {
      grid.push(h("line", { class: "map-line", x1: LEFT, x2: WIDTH - RIGHT, y1: sy(v), y2: sy(v) }));
      grid.push(h("text", { class: "map-text", x: LEFT - 8, y: sy(v) + 4, "text-anchor": "end" }, `${v}%`));
    }
    grid.push(h("text", { class: "map-title", x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 8, "text-anchor": "middle" }, this.xLabel));
    grid.push(h("text", { class: "map-title", transform: `translate(14 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)`, "text-anchor": "middle" }, this.yLabel));
    const frontier = this.points.filter((p) => p.frontier).sort((a, b) => a.x - b.x);
    grid.push(h("polyline", { class: "map-frontier", points: frontier.map((p) => `${sx(p.x)},${sy(p.y)}`).join(" ") }));
    const marks = this.points.map((p, place) =>
      h(
        "g",
        {
          class: ["map-point", "shape-" + (p.shape % 4), p.chosen ? "chosen" : "", p.frontier ? "on-frontier" : ""],
          role: "button", tabindex: 0, "aria-pressed": String(!!p.chosen),
          "aria-label": `${p.name}: loss ${p.x.toFixed(1)}%, linked ${p.y.toFixed(1)}%. Choose`,
          transform: `translate(${sx(p.x)} ${sy(p.y)})`,
          onClick: () => this.$emit("choose", place),
          onKeydown: (e) => ["Enter", " "].includes(e.key) && (e.preventDefault(), this.$emit("choose", place)),
          onMouseenter: () => (this.at = place), onMouseleave: () => (this.at = -1),
          onFocus: () => (this.at = place), onBlur: () => (this.at = -1),
        },
        [
          h("circle", { class: "map-hit", r: 15 }),
          [
            () => h("circle", { class: "map-mark", r: 7 }),
            () => h("rect", { class: "map-mark", x: -6.5, y: -6.5, width: 13, height: 13 }),
            () => h("path", { class: "map-mark", d: "M0,-8 L8,6 L-8,6 Z" }),
            () => h("path", { class: "map-mark", d: "M0,-9 L9,0 L0,9 L-9,0 Z" }),
          ][p.shape % 4](),
        ],
      ),
    );
    const shown = this.points[this.at] || this.points.find((p) => p.chosen);
    if (shown) {
      const right = sx(shown.x) > WIDTH * 0.6;
      marks.push(h("text", { class: "map-name", x: sx(shown.x) + (right ? -14 : 14), y: sy(shown.y) - 12, "text-anchor": right ? "end" : "start" }, shown.name));
    }
    return h("svg", { class: "map", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": this.label }, [...grid, ...marks]);
  },
};
