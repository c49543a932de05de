// Loads of files: dropping them anywhere on the page, and what was chosen. Without it the form works by hand.
"use strict";

(() => {
  const findForm = () => document.querySelector("form[data-drop]");

  const format = (bytes) => {
    for (const unit of ["bytes", "kB", "MB"]) {
      if (bytes < 1000 || unit === "MB") return `${Math.round(bytes * 10) / 10} ${unit}`;
      bytes /= 1000;
    }
    return "";
  };

  const tell = (form, text) => {
    form.querySelector("[data-status]").textContent = text;
  };

  const measure = (files) => [...files].reduce((sum, file) => sum + file.size, 0);

  // False, with a message, if the server would refuse the files.
  const check = (form) => {
    const files = form.elements.file.files;
    const size = measure(files);
    if (size > Number(form.dataset.limit)) {
      tell(form, `${format(size)} are more than this server takes. Load them with tuqa-load.`);
      return false;
    }
    const names = [...files].slice(0, 5).map((file) => file.name).join(", ");
    const rest = files.length > 5 ? ` and ${files.length - 5} more` : "";
    tell(form, files.length ? `${names}${rest}: ${format(size)}` : "");
    return true;
  };

  const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");

  document.addEventListener("dragover", (event) => {
    const form = findForm();
    if (!form || !hasFiles(event)) return;
    event.preventDefault();
    form.classList.add("over");
  });

  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) findForm()?.classList.remove("over");
  });

  document.addEventListener("drop", (event) => {
    const form = findForm();
    if (!form || !hasFiles(event)) return;
    event.preventDefault();
    form.classList.remove("over");
    const items = [...event.dataTransfer.items];
    if (items.some((item) => item.webkitGetAsEntry?.()?.isDirectory)) {
      tell(form, "A folder cannot be dropped. Drop its files, or pack them into a zip file.");
      return;
    }
    form.elements.file.files = event.dataTransfer.files;
    if (check(form)) form.requestSubmit();
  });

  document.addEventListener("change", (event) => {
    const form = event.target.closest("form[data-drop]");
    if (form && event.target.type === "file") check(form);
    // A change of how a file is read is shown at once.
    if (event.target.form?.matches("[data-now]")) event.target.form.requestSubmit();
  });

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("form[data-drop]")) return;
    if (!check(form)) event.preventDefault();
    else tell(form, "The files are being read.");
  });

  // A stream that ends before its load: the server has gone, or the connection.
  document.addEventListener("htmx:sse:close", (event) => {
    const load = event.target;
    if (load.id !== "load" || !load.querySelector("progress")) return;
    load.querySelector("#phase").textContent =
      "The connection to the server is lost. Load this page again to see the state.";
  });
})();
