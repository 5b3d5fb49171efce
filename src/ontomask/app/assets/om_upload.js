// A place to drop a file. The file goes to the server as it is, and the bytes that have arrived are counted.
import { h } from "vue";

let made = 0;

const size = (bytes) =>
  bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3)).toLocaleString("en")} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

export default {
  props: { src: String, label: String, hint: String, accept: String, most: Number, disabled: Boolean, compact: Boolean },
  emits: ["uploaded", "failed"],
  data() {
    made += 1;
    return { id: "upload-" + made, over: false, name: "", loaded: 0, total: 0, sending: false, error: "" };
  },
  methods: {
    take(files) {
      this.over = false;
      if (!files || !files.length || this.sending) return;
      this.error = "";
      if (files.length > 1) return this.fail("One file at a time, please: the files can be joined before (ontomask join).");
      const file = files[0];
      if (this.most && file.size > this.most)
        return this.fail(`${file.name} has ${size(file.size)}; the limit is ${size(this.most)}.`);
      this.name = file.name;
      this.total = file.size;
      this.loaded = 0;
      this.sending = true;
      const request = new XMLHttpRequest();
      this.request = request;
      request.open("PUT", `${this.src}${this.src.includes("?") ? "&" : "?"}name=${encodeURIComponent(file.name)}`);
      request.setRequestHeader("Content-Type", "application/octet-stream");
      request.upload.onprogress = (event) => (this.loaded = event.loaded);
      request.onload = () => {
        this.sending = false;
        let told = {};
        try {
          told = JSON.parse(request.responseText);
        } catch {
          told = {};
        }
        if (request.status < 300) this.$emit("uploaded", { ...told, name: file.name });
        else this.fail(told.error || `The server refused the file (${request.status}).`);
      };
      request.onerror = () => {
        this.sending = false;
        this.fail("The connection to the server was lost. Is ontomask still running?");
      };
      request.onabort = () => {
        this.sending = false;
      };
      request.send(file);
    },
    fail(message) {
      this.error = message;
      this.$emit("failed", message);
    },
  },
  render() {
    const percent = this.total ? Math.round((100 * this.loaded) / this.total) : 0;
    const inside = this.sending
      ? [
          h("p", { class: "upload-name" }, this.name),
          h("progress", { max: this.total || 1, value: this.loaded, "aria-label": "bytes sent" }),
          h("p", { class: "help", "aria-live": "polite" }, `${size(this.loaded)} of ${size(this.total)}, ${percent}%`),
          h("button", { type: "button", class: "small", onClick: () => this.request.abort() }, "Cancel"),
        ]
      : [
          h("input", {
            id: this.id, type: "file", class: "unseen", accept: this.accept, disabled: this.disabled,
            "aria-describedby": this.id + "-hint",
            onChange: (event) => { this.take(event.target.files); event.target.value = ""; },
          }),
          h("label", { for: this.id, class: "upload-label" }, this.label),
          this.hint ? h("p", { class: "help", id: this.id + "-hint" }, this.hint) : null,
        ];
    return h("div", [
      h(
        "div",
        {
          class: ["upload", this.over ? "over" : "", this.compact ? "compact" : ""],
          onDragover: (event) => { event.preventDefault(); this.over = true; },
          onDragleave: () => (this.over = false),
          onDrop: (event) => { event.preventDefault(); this.take(event.dataTransfer.files); },
        },
        inside,
      ),
      this.error ? h("p", { class: "error", role: "alert" }, this.error) : null,
    ]);
  },
};
