
"use strict";
(() => {
  // The theme: the system's, until the button says otherwise.
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const name = () => { button.textContent = dark() ? "Light" : "Dark"; };
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    name();
  });
  system.addEventListener("change", name);
  button.hidden = false;
  name();

  // A link to an episode opens it.
  const reveal = () => {
    const at = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (at && at.tagName === "DETAILS") {
      at.open = true;
      at.scrollIntoView();
    }
  };
  addEventListener("hashchange", reveal);
  reveal();

  // The filters hold for the rows and for the episodes below them alike.
  const form = document.getElementById("filters");
  if (!form) return;
  const rows = [...document.querySelectorAll("[data-episode]")];
  const count = document.getElementById("shown");
  const apply = () => {
    const wanted = [...form.elements].filter((field) => field.name && field.value);
    let shown = 0;
    for (const row of rows) {
      row.hidden = wanted.some((field) => row.dataset[field.name] !== field.value);
      if (!row.hidden && row.tagName === "TR") shown += 1;
    }
    count.textContent = `${shown} shown`;
  };
  form.addEventListener("change", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  apply();
})();
