"use strict";

// Tables are sorted by the head that is clicked: ascending, descending, and back to how they came.

/** A cell as [number, side]: "<0.1" lies on the lower side of 0.1, ">99.9" on the upper of 99.9. Null if missing. */
function numberOf(text) {
  const found = /^\s*([<>≤≥~]?)\s*([-+−]?)([\d,]*\.?\d+(?:e[-+]?\d+)?)/i.exec(text);
  if (!found) return null;
  const size = parseFloat(found[3].replaceAll(",", ""));
  return [/[-−]/.test(found[2]) ? -size : size, { "<": -1, ">": 1 }[found[1]] || 0];
}

const words = new Intl.Collator("en", { numeric: true });

function compare(one, two, numeric, direction) {
  const [a, b] = [one.value, two.value];
  if (a === null || b === null) return (a === null) - (b === null); // missing ones last, whichever way
  return direction * (numeric ? a[0] - b[0] || a[1] - b[1] : words.compare(a, b));
}

function sort(head) {
  const table = head.closest("table");
  const next = { ascending: "descending", descending: null }[head.getAttribute("aria-sort")];
  const order = next === undefined ? "ascending" : next;
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  if (order) head.setAttribute("aria-sort", order);
  const numeric = head.classList.contains("n");
  const rows = Array.from(table.tBodies[0].rows, (row) => {
    const text = row.cells[head.cellIndex].textContent;
    return { row, value: numeric ? numberOf(text) : text === "–" ? null : text };
  });
  if (order) rows.sort((a, b) => compare(a, b, numeric, order === "ascending" ? 1 : -1) || a.row.came - b.row.came);
  else rows.sort((a, b) => a.row.came - b.row.came);
  table.tBodies[0].append(...rows.map(({ row }) => row));
}

for (const head of document.querySelectorAll("thead th")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...head.childNodes);
  button.addEventListener("click", () => sort(head));
  head.append(button);
}
for (const body of document.querySelectorAll("thead + tbody")) {
  Array.from(body.rows).forEach((row, place) => { row.came = place; });
}

// Texts to copy.
for (const text of document.querySelectorAll("pre.copy")) {
  const around = document.createElement("div");
  around.className = "copies";
  text.replaceWith(around);
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch { // not allowed here: select it, so that the keys copy it
      getSelection().selectAllChildren(text);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  around.append(text, button);
}
