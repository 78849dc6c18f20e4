"use strict";
// Sorts and filters tables, puts any two subjects beside each other, and shows a fork slice by slice. All numbers are in the page.
(() => {
  const FILTERED_FROM = 8; // rows
  const order = new Intl.Collator("en", { numeric: true });

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  function drawn(tag, attributes, title) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (title) {
      const told = document.createElementNS("http://www.w3.org/2000/svg", "title");
      told.textContent = title;
      element.append(told);
    }
    return element;
  }

  function stored(id) {
    const element = document.getElementById(id);
    return element && JSON.parse(element.textContent);
  }

  // Tables

  function value(cell) {
    const copy = cell.cloneNode(true);
    for (const aside of copy.querySelectorAll(".under, .unit, .spoken")) aside.remove();
    return copy.textContent.trim();
  }

  function number(text) {
    const figure = /^[\u00d7+]?(-?[\d,]*\.?\d+)/.exec(text);
    return figure ? Number(figure[1].replaceAll(",", "")) : NaN;
  }

  const missing = text => text === "" || text === "-";

  function sort(table, column, direction) {
    for (const body of table.tBodies) {
      const fixed = [...body.rows].filter(row => row.matches(".group"));
      const rows = [...body.rows].filter(row => !row.matches(".group"));
      const keyed = rows.map((row, place) => ({ row, place: Number(row.dataset.place ??= place), text: value(row.cells[column]) }));
      const known = keyed.filter(each => !missing(each.text));
      const numeric = known.every(each => !Number.isNaN(number(each.text)));
      const compared = (a, b) => numeric ? number(a.text) - number(b.text) : order.compare(a.text, b.text);
      keyed.sort((a, b) => {
        if (!direction) return a.place - b.place;
        return missing(a.text) - missing(b.text) || direction * compared(a, b) || a.place - b.place;
      });
      body.append(...fixed, ...keyed.map(each => each.row));
    }
  }

  function sortBy(table, heading) {
    const next = { none: "descending", descending: "ascending", ascending: "none" }[heading.getAttribute("aria-sort") ?? "none"];
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    if (next !== "none") heading.setAttribute("aria-sort", next);
    sort(table, heading.cellIndex, { none: 0, descending: -1, ascending: 1 }[next]);
  }

  function filter(table, input, said) {
    const wanted = input.value.trim().toLowerCase();
    let shown = 0, whole = 0;
    for (const body of table.tBodies) {
      const rows = [...body.rows].filter(row => !row.matches(".group"));
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
      body.hidden = rows.every(row => row.hidden);
      shown += rows.filter(row => !row.hidden).length;
      whole += rows.length;
    }
    said.textContent = wanted ? `${shown} of ${whole} rows` : "";
  }

  function enhance(table) {
    if (table.dataset.enhanced) return;
    table.dataset.enhanced = "yes";
    for (const heading of table.tHead.rows[0].cells) {
      if (!heading.textContent.trim()) heading.append("name");
      const button = make("button", { type: "button", title: "sort" });
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sortBy(table, heading));
      heading.append(button);
    }
    if (table.querySelectorAll("tbody tr:not(.group)").length < FILTERED_FROM) return;
    const input = make("input", { type: "search", autocomplete: "off" });
    const said = make("span", { role: "status" });
    input.addEventListener("input", () => filter(table, input, said));
    table.closest(".scroll").before(make("p", { class: "filter" }, make("label", {}, "Filter ", input), " ", said));
  }

  function enhanceIn(place, all) {
    for (const table of place.querySelectorAll("table.sortable")) {
      if (all || table.closest("details:not([open])") === null) enhance(table);
    }
  }

  // Columns before `numericFrom` and the last one are words.
  function table(headings, rows, numericFrom) {
    const kind = place => place >= numericFrom && place < headings.length - 1 ? { class: "number" } : {};
    const head = headings.map((text, place) => make("th", { scope: "col", ...kind(place) }, text));
    const body = rows.map(row => make("tr", {}, ...row.map((text, place) => make(place ? "td" : "th", place ? kind(place) : { scope: "row" }, text))));
    const whole = make("table", { class: "sortable" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body));
    return make("div", { class: "scroll", tabindex: 0 }, whole);
  }

  function choice(label, names, chosen) {
    const options = names.map((name, place) => make("option", { value: place }, name));
    const select = make("select", {}, ...options);
    select.value = chosen;
    return [make("label", {}, `${label} `, select), select];
  }

  // Any two subjects

  function ratioText(ratio, low, high) {
    const narrow = low !== null && high - low < 0.04;
    return ratio.toFixed(narrow || ratio < 0.1 ? 3 : 2);
  }

  // The stored comparison of a with b, turned round where it was stored as b with a.
  function comparison(measure, a, b) {
    for (const [first, second, ratio, low, high, word] of measure.ratios) {
      if (first === a && second === b) return { ratio, low, high, word };
      if (first !== b || second !== a) continue;
      const turned = { faster: "slower", slower: "faster" }[word] ?? word;
      return { ratio: 1 / ratio, low: low && 1 / high, high: high && 1 / low, word: turned };
    }
    return null;
  }

  function beside(measure, a, b) {
    const [mine, theirs] = [measure.values[a], measure.values[b]];
    const own = [mine, theirs].map(each => make("div", {}, each.text, make("span", { class: "under" }, each.interval)));
    const known = comparison(measure, a, b);
    if (known) {
      const interval = known.low === null ? "" : `${ratioText(known.low, known.low, known.high)} to ${ratioText(known.high, known.low, known.high)}`;
      return [...own, ratioText(known.ratio, known.low, known.high), interval, known.word];
    }
    if (!mine.value || !theirs.value) return [...own, "-", "", "nothing to compare"];
    return [...own, ratioText(mine.value / theirs.value, null, null), "", "ratio of both figures: not paired, not judged"];
  }

  function compareTwo(section, data) {
    const [labelA, a] = choice("Compare", data.subjects, data.first);
    const [labelB, b] = choice("with", data.subjects, data.second);
    const shown = make("div", { "aria-live": "polite" });
    const show = () => {
      const [first, second] = [Number(a.value), Number(b.value)];
      const headings = ["measure", data.cell, data.subjects[first], data.subjects[second], "ratio", "interval", "verdict"];
      const rows = data.measures.map(measure => [measure.title, measure.cell, ...beside(measure, first, second)]);
      const same = make("p", {}, "Choose two different subjects.");
      shown.replaceChildren(first === second ? same : table(headings, rows, 2));
      enhanceIn(shown, true);
    };
    for (const select of [a, b]) select.addEventListener("change", show);
    section.querySelector(".without-script").replaceWith(make("p", { class: "controls" }, labelA, " ", labelB), shown);
    show();
  }

  // A fork, slice by slice

  const FIGURES = [
    ["throughput", "requests/s"], ["mean_ms", "mean, ms"], ["cpu_us", "CPU per request, µs"], ["compiler", "compiler, %"],
    ["collector", "collector, ms"],
  ];
  const WIDTH = 760, HEIGHT = 220, LEFT = 64, FOOT = 36;

  function axis(svg, lowest, highest, top) {
    const ink = { fill: "var(--muted)", "font-size": 12 };
    for (const share of [0, 0.5, 1]) {
      const y = (HEIGHT - FOOT) * (1 - share) + 8 * share;
      svg.append(drawn("line", { x1: LEFT, x2: WIDTH, y1: y, y2: y, stroke: "var(--grid)" }));
      const height = drawn("text", { ...ink, x: LEFT - 8, y: y + 4, "text-anchor": "end" });
      height.textContent = (top < 10 ? Number((top * share).toPrecision(2)) : Math.round(top * share)).toLocaleString("en");
      const second = drawn("text", { ...ink, x: LEFT + (WIDTH - LEFT - 40) * share, y: HEIGHT - 14 });
      second.textContent = `${Math.round(lowest + (highest - lowest) * share)} s`;
      svg.append(height, second);
    }
  }

  // Of `name` over time, a line a subject; where there was nothing to measure the line has a gap.
  function overTime(data, points, name, title) {
    const svg = drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "img", "aria-label": `${title}, over time` });
    const times = points.map(point => point.at);
    const [lowest, highest] = [Math.min(...times), Math.max(...times)];
    const top = Math.max(1, ...points.map(point => point[name]));
    const x = point => LEFT + (WIDTH - LEFT - 20) * (point.at - lowest) / Math.max(1e-9, highest - lowest);
    const y = point => 8 + (HEIGHT - FOOT - 8) * (1 - point[name] / top);
    axis(svg, lowest, highest, top);
    data.subjects.forEach((subject, place) => {
      const own = points.filter(point => point.subject === place);
      const colour = `var(--series-${place % data.colours})`;
      const line = own.map((point, at) => point[name] === null ? "" : `${at && own[at - 1][name] !== null ? "L" : "M"}${x(point)},${y(point)}`);
      svg.append(drawn("path", { d: line.join(""), fill: "none", stroke: colour, "stroke-opacity": 0.5 }));
      for (const point of own.filter(each => each[name] !== null)) {
        const users = point.users === undefined ? "" : `, ${point.users} users`;
        const told = `${subject}, ${point.phase}, ${point.at} s${users}: ${point[name]} ${title}${point.voided ? `; voided: ${point.voided}` : ""}`;
        const [cx, cy] = [x(point), y(point)];
        const cross = { d: `M${cx - 5},${cy - 5}L${cx + 5},${cy + 5}M${cx - 5},${cy + 5}L${cx + 5},${cy - 5}`, stroke: "var(--ink)", "stroke-width": 2 };
        const large = point.phase === "measure" && point.users === undefined;
        const dot = { cx, cy, r: large ? 4 : 2.5, fill: point.phase === "measure" ? colour : "var(--paper)", stroke: colour };
        svg.append(point.voided ? drawn("path", cross, told) : drawn("circle", dot, told));
      }
    });
    return make("div", { class: "chart" }, svg);
  }

  const named = (columns, row) => Object.fromEntries(columns.map((name, place) => [name, row[place]]));

  function slicesOf(data, trial, cell) {
    return trial.slices.map((row, place) => ({ ...named(data.columns, row), intervals: trial.intervals?.[place] ?? null })).filter(slice => slice.cell === cell);
  }

  // The intervals of tests that are one slice a subject, each test from its own begin.
  function intervalsOf(data, slices) {
    return slices.filter(slice => slice.intervals).flatMap(({ subject, phase, voided, intervals }) =>
      intervals.map(row => ({ ...named(data.interval_columns, row), subject, phase, voided })));
  }

  const SECONDS = [["users", "users"], ["throughput", "requests/s"], ["mean_ms", "mean, ms"], ["failed_per_s", "failed/s"]];

  function secondsOf(data, intervals) {
    const rows = intervals.map(point => [point.at.toFixed(1), data.subjects[point.subject], ...SECONDS.map(([name]) => shownText(point[name]))]);
    return [
      make("p", { class: "small" }, "Seconds count from the start of each subject's own test."),
      make("h4", {}, "Throughput, requests/s"), overTime(data, intervals, "throughput", "requests/s"),
      make("h4", {}, "Mean response time, ms"), overTime(data, intervals, "mean_ms", "ms"),
      make("details", {}, make("summary", {}, "The numbers of these intervals"), table(["after, s", "subject", ...SECONDS.map(([, title]) => title)], rows, 2)),
    ];
  }

  const shownText = figure => figure === null ? "-" : figure.toLocaleString("en", { maximumSignificantDigits: figure < 1000 ? 3 : 6 });

  function showFork(data, place, trial) {
    const cells = [...new Set(trial.slices.map(row => row[0]))];
    const [label, select] = choice("Operation or test", cells.map(cell => data.cells[cell]), 0);
    const body = make("div");
    const show = () => {
      const slices = slicesOf(data, trial, cells[Number(select.value)]);
      const seen = new Set(slices.map(slice => slice.subject));
      const legend = [...seen].sort((one, other) => one - other).map(subject => {
        const mark = drawn("svg", { width: 14, height: 14, viewBox: "-7 -7 14 14" });
        mark.append(drawn("circle", { r: 4, fill: `var(--series-${subject % data.colours})` }));
        return make("li", {}, mark, data.subjects[subject]);
      });
      const figures = FIGURES.filter(([name]) => slices.some(slice => slice[name] !== null));
      const rows = slices.map(slice => [
        slice.at.toFixed(1), data.subjects[slice.subject], slice.phase, ...figures.map(([name]) => shownText(slice[name])), slice.voided,
      ]);
      const headings = ["after, s", "subject", "phase", ...figures.map(([, title]) => title), "voided"];
      const numbers = make("details", {}, make("summary", {}, "The numbers"), table(headings, rows, 3));
      const intervals = intervalsOf(data, slices), rest = slices.filter(slice => !slice.intervals);
      body.replaceChildren(
        make("ul", { class: "legend" }, ...legend), ...(intervals.length ? secondsOf(data, intervals) : []),
        ...(intervals.length && rest.length ? [make("h4", {}, "Each slice, requests/s")] : []),
        ...(rest.length ? [overTime(data, rest, "throughput", "requests/s")] : []), numbers,
      );
    };
    select.addEventListener("change", show);
    const told = `Trial ${trial.number}, slice by slice`;
    const note = make("p", { class: "small" }, "Filled dots are measured slices, hollow dots are warm-up, crosses are voided slices.");
    place.replaceChildren(make("h3", {}, told), ...(cells.length > 1 ? [make("p", { class: "controls" }, label)] : []), note, body);
    if (cells.length) show();
    place.scrollIntoView({ block: "nearest" });
  }

  function forks(section, data) {
    const place = make("div", { id: "fork-detail", "aria-live": "polite" });
    section.append(place);
    for (const row of section.querySelectorAll("tr[data-trial]")) {
      const trial = data.trials.find(each => each.number === Number(row.dataset.trial));
      const button = make("button", { type: "button", class: "link" }, ...row.cells[0].childNodes);
      button.addEventListener("click", () => showFork(data, place, trial));
      row.cells[0].append(button);
    }
  }

  document.documentElement.classList.add("scripted");
  enhanceIn(document, false);
  document.addEventListener("toggle", event => event.target.open && enhanceIn(event.target, false), true);
  const two = stored("any-two-data");
  if (two) compareTwo(document.getElementById("any-two"), two);
  const detail = stored("forks-data");
  if (detail) forks(document.getElementById("forks"), detail);
})();
