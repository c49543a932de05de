// The script of the page: links that ask, the history of this browser, cancel, close, and where the focus goes.
// Everything from storage and from the data is inserted as text.
(() => {
  "use strict";

  const STORE = "tuqa.questions";
  const MAX_KEPT = 50;

  const form = () => document.getElementById("ask");

  // History.

  function readHistory() {
    try {
      const stored = JSON.parse(localStorage.getItem(STORE) ?? "[]");
      return Array.isArray(stored)
        ? stored.filter((entry) => typeof entry?.question === "string").slice(0, MAX_KEPT)
        : [];
    } catch {
      return []; // no storage, or not ours
    }
  }

  function writeHistory(entries) {
    try {
      localStorage.setItem(STORE, JSON.stringify(entries.slice(0, MAX_KEPT)));
    } catch {
      // A browser may refuse to store: then there is no history.
    }
    showHistory();
  }

  function keepQuestion(question, dataset, follows) {
    const others = readHistory().filter(
      (entry) =>
        entry.question !== question ||
        (entry.dataset ?? "") !== dataset ||
        (entry.follows ?? "") !== (follows ?? ""),
    );
    writeHistory([{ question, dataset, follows }, ...others]);
  }

  function makeEntry(entry) {
    const dataset = typeof entry.dataset === "string" ? entry.dataset : "";
    const link = document.createElement("a");
    const follows = typeof entry.follows === "string" && entry.follows ? { follows: entry.follows } : {};
    const asked = { question: entry.question, dataset, ...follows };
    link.href = "/ask?" + new URLSearchParams(asked);
    Object.assign(link.dataset, asked);
    const name = document.createElement("bdi");
    name.textContent = entry.question;
    link.append(name);
    const item = document.createElement("li");
    item.append(link);
    if (dataset) {
      const place = document.createElement("span");
      place.className = "muted";
      place.textContent = " " + dataset;
      item.append(place);
    }
    return item;
  }

  function showHistory() {
    const section = document.getElementById("history");
    if (!section) return;
    const entries = readHistory();
    section.hidden = entries.length === 0;
    section.querySelector("ul").replaceChildren(...entries.map(makeEntry));
  }

  // Asking.

  function setHidden(name, value) {
    const field = form().elements[name];
    field.value = value ?? "";
    field.disabled = !value; // A field that is disabled is not sent.
  }

  function ask(link) {
    const { question, dataset, source, pick, follows } = link.dataset;
    const fields = form().elements;
    fields.question.value = question;
    fields.dataset.value = dataset ?? "";
    if (fields.dataset.selectedIndex < 0) fields.dataset.value = "";
    setHidden("source", source);
    setHidden("pick", pick);
    setHidden("follows", follows);
    form().requestSubmit();
  }

  function showCancelled(sender) {
    const text = document.createElement("p");
    text.className = "warning";
    text.textContent = "The question was cancelled.";
    const isQuestion = sender === form();
    document.getElementById(isQuestion ? "result" : "report").replaceChildren(text);
    document.getElementById("status").textContent = text.textContent;
    (isQuestion ? sender.elements.question : sender.elements.query).focus();
  }

  document.addEventListener("click", (event) => {
    const target = event.target.closest("a, button");
    if (!target || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    if (target.matches("a[data-question]") && form()) {
      event.preventDefault();
      ask(target);
    } else if (target.matches("svg a[data-around]")) {
      event.preventDefault(); // htmx follows links of HTML only
      htmx.ajax("GET", target.getAttribute("href"), { source: target, target: "#around", swap: "innerHTML" });
    } else if (target.matches("[data-cancel]")) {
      const sender = target.closest("form") ?? form();
      htmx.trigger(sender, "htmx:abort");
      showCancelled(sender);
    } else if (target.matches("[data-clear]")) {
      writeHistory([]);
      form()?.elements.question.focus();
    } else if (target.matches("[data-close]")) {
      close(target);
    }
  });

  function close(button) {
    const box = button.closest("[id]");
    const opener = openers.get(box?.id);
    box?.replaceChildren();
    if (opener?.isConnected) opener.focus();
  }

  // Id of a box → the link that filled it, to which the focus returns.
  const openers = new Map();

  document.addEventListener("submit", (event) => {
    if (event.target !== form()) return;
    const { question, dataset, follows } = event.target.elements;
    keepQuestion(question.value.trim(), dataset.value, follows.value);
  });

  // A question to other data follows nothing.
  document.addEventListener("change", (event) => {
    if (event.target.id === "dataset" && form()?.contains(event.target)) setHidden("follows", "");
  });

  // Seconds since the question, since one stage can take long.
  let started = 0;

  setInterval(() => {
    const clock = document.querySelector("[data-clock]");
    const seconds = Math.round((performance.now() - started) / 1000);
    if (clock && seconds > 0) clock.textContent = `${seconds} s`;
  }, 1000);

  // The script of forms has read them by then.
  document.addEventListener("htmx:before:request", (event) => {
    started = performance.now();
    if (event.target !== form()) return;
    setHidden("source", "");
    setHidden("pick", "");
    document.getElementById("result").setAttribute("aria-busy", "true");
  });

  document.addEventListener("htmx:finally:request", (event) => {
    if (event.target !== form()) return;
    document.getElementById("result").removeAttribute("aria-busy");
    // The link of an answer has what it follows only if the question needs it.
    const link = document.querySelector('#result article .links a[href^="/ask"]');
    if (link) history.replaceState(history.state, "", link.href);
  });

  // A stream has many parts, and one address.
  document.addEventListener("htmx:before:history:update", (event) => {
    const { path } = event.detail.history;
    if (path === location.pathname + location.search) event.preventDefault();
  });

  document.addEventListener("htmx:after:swap", (event) => {
    const { sourceElement, target } = event.detail.ctx;
    const box = typeof target === "string" ? document.querySelector(target) : target;
    if (!(box instanceof Element) || box.id === "examples") return;
    const shown = document.querySelector("#result article[data-follows]");
    if (shown) setHidden("follows", shown.dataset.follows);
    // Changed steps are followed below them, and their answer, which has an address, takes their place.
    if (sourceElement?.matches('form[action="/run"]') && !sourceElement.isConnected) {
      const answer = document.querySelector("#result article[data-answer]")?.dataset.answer;
      if (answer) history.pushState({ htmx: true }, "", `/answers/${encodeURIComponent(answer)}`);
    }
    if (sourceElement?.matches("a")) openers.set(box.id, sourceElement);
    const heading = (box.isConnected ? box : document.getElementById("result"))?.querySelector("[data-focus]");
    if (heading && !heading.dataset.focused) {
      heading.dataset.focused = "true"; // only when it arrives
      heading.focus({ preventScroll: true });
      heading.scrollIntoView({ block: box.id === "result" ? "nearest" : "center" });
    }
  });

  document.addEventListener("htmx:error", (event) => {
    const box = event.detail.ctx?.target;
    if (!(box instanceof Element)) return;
    const text = document.createElement("p");
    text.className = "problem";
    text.setAttribute("role", "alert");
    text.textContent = "The server cannot be reached. Does tuqa serve still run?";
    box.replaceChildren(text);
  });

  document.addEventListener("DOMContentLoaded", showHistory);
  if (document.readyState !== "loading") showHistory();

  // Another tab has asked.
  window.addEventListener("storage", (event) => {
    if (event.key === STORE) showHistory();
  });
})();
