"use strict";
// Draws a run while it lasts, from the events that its server sends once a second. No text of a run becomes markup.

const WIDTH = 360, HEIGHT = 90, LEFT = 48, KEPT = 600;
const root = document.getElementById("live");
const shown = new Map(); // by subject: the seconds that were seen so far, and its panel

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function drawn(name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

const figure = (value) =>
  value === null || value === undefined ? "-"
    : value >= 1000 ? Math.round(value).toLocaleString("en") : Number(value.toPrecision(3)).toString();

function duration(seconds) {
  const whole = Math.round(seconds);
  if (whole >= 3600) return `${Math.floor(whole / 3600)} h ${String(Math.floor(whole % 3600 / 60)).padStart(2, "0")} min`;
  return whole >= 60 ? `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s` : `${whole} s`;
}

function lastSeconds(subject) {
  // A page that is opened late begins with what the run has kept; a trial that begins anew begins at its first second.
  let seen = shown.get(subject.label);
  if (!seen || subject.seconds < seen.seconds) {
    seen = { seconds: subject.seconds - subject.throughput_per_s.length, throughput: [], response: [] };
    shown.set(subject.label, seen);
  }
  const fresh = Math.min(subject.seconds - seen.seconds, subject.throughput_per_s.length);
  if (fresh > 0) {
    seen.throughput = seen.throughput.concat(subject.throughput_per_s.slice(-fresh)).slice(-KEPT);
    seen.response = seen.response.concat(subject.response_ms.slice(-fresh)).slice(-KEPT);
  }
  seen.seconds = subject.seconds;
  return seen;
}

function lineOf(values, unit, label) {
  const most = Math.max(...values.filter((value) => value !== null), 0) || 1;
  const svg = drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${label}, ${unit}: now ${figure(values.at(-1))}, most ${figure(most)}` });
  const y = (value) => 8 + (1 - value / most) * (HEIGHT - 26);
  for (const value of [0, most]) {
    svg.append(drawn("line", { class: "grid", x1: LEFT, x2: WIDTH, y1: y(value), y2: y(value) }));
    svg.append(drawn("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, figure(value)));
  }
  svg.append(drawn("text", { x: LEFT, y: HEIGHT - 2 }, unit));
  const step = (WIDTH - LEFT) / Math.max(1, values.length - 1);
  let path = "", pen = "M";
  values.forEach((value, place) => {
    if (value === null) { pen = "M"; return; }
    path += `${pen}${(LEFT + place * step).toFixed(1)},${y(value).toFixed(1)}`;
    pen = "L";
  });
  svg.append(drawn("path", { d: path }));
  return svg;
}

function panelOf(subject, place) {
  const seen = lastSeconds(subject);
  const facts = element("dl", { class: "facts" });
  for (const [name, value] of [
    ["now", `${figure(seen.throughput.at(-1))}/s`],
    ["p99", subject.p99_ms === null ? "-" : `${figure(subject.p99_ms)} ms`],
    ["failed", figure(subject.failures)],
  ]) facts.append(element("div", {}, element("dt", {}, name), element("dd", {}, value)));
  return element("div", { class: `panel machine-${place % 6}` }, element("h3", {}, subject.label), facts,
    lineOf(seen.throughput, "requests/s", `throughput of ${subject.label}`),
    lineOf(seen.response, "ms", `response time of ${subject.label}`));
}

function narrowingOf(comparison) {
  const rows = comparison.intervals.slice(-12);
  const bounds = rows.flatMap((row) => [row.low, row.high, row.ratio]).filter((value) => value !== null).concat(1).map(Math.log);
  const margin = Math.max(0.02, (Math.max(...bounds) - Math.min(...bounds)) * 0.08);
  const low = Math.min(...bounds) - margin, high = Math.max(...bounds) + margin;
  const across = (value) => 6 + (Math.log(value) - low) / (high - low) * (WIDTH - 12);
  const drawnRows = rows.map((row) => {
    const forks = `${row.forks} fork${row.forks === 1 ? "" : "s"}`;
    const text = row.low === null ? `${forks}: ${figure(row.ratio)}, no interval yet` : `${forks}: ${figure(row.ratio)} (${figure(row.low)} to ${figure(row.high)})`;
    const svg = drawn("svg", { viewBox: `0 0 ${WIDTH} 20`, "aria-hidden": "true" });
    svg.append(drawn("line", { class: "alike", x1: across(1), x2: across(1), y1: 0, y2: 20 }));
    if (row.low !== null) svg.append(drawn("line", { class: "interval", x1: across(row.low), x2: across(row.high), y1: 10, y2: 10 }));
    svg.append(drawn("circle", { class: row.low === null ? "hollow" : "", cx: across(row.ratio), cy: 10, r: 4 }));
    return element("div", { class: "row" }, element("span", {}, text), svg);
  });
  return element("div", { class: "narrowing" },
    element("h3", {}, `${comparison.a} / ${comparison.b}, ${comparison.measure} of ${comparison.cell}`),
    element("p", { class: "small" }, `${figure(comparison.confidence * 100)}% intervals over forks; dashed line: equal`), ...drawnRows);
}

// The last event, and when it came: between two events, as while a server starts, the times go on by the page's own clock.
let last = null, received = 0;

function showTimes() {
  if (last === null) return;
  const passed = (Date.now() - received) / 1000;
  document.getElementById("left").textContent =
    last.seconds_left === null ? "" : `${duration(Math.max(0, last.seconds_left - passed))} left`;
  document.getElementById("stages").replaceChildren(...last.stages.map((stage, place, all) => {
    const goesOn = place === all.length - 1;
    return element("li", {}, `${stage.name}: ${duration(stage.seconds + (goesOn ? passed : 0))}${goesOn ? " so far" : ""}`);
  }));
}

function show(now) {
  last = now;
  received = Date.now();
  document.getElementById("stage").textContent = now.stage || "between two stages";
  const bar = document.getElementById("share");
  if (now.share === null) bar.removeAttribute("value"); else bar.value = now.share;
  const loaded = now.subjects.filter((subject) => subject.throughput_per_s.length);
  document.getElementById("before").hidden = loaded.length > 0;
  showTimes();
  document.getElementById("load").hidden = !loaded.length;
  document.getElementById("subjects").replaceChildren(...loaded.map(panelOf));
  document.getElementById("narrowing").hidden = !now.comparisons.length;
  document.getElementById("comparisons").replaceChildren(...now.comparisons.map(narrowingOf));
}

const clock = setInterval(showTimes, 1000);
const events = new EventSource(root.dataset.now);
events.onmessage = (event) => show(JSON.parse(event.data));
events.addEventListener("ended", () => {
  events.close();
  clearInterval(clock);
  document.getElementById("stage").textContent = root.dataset.end;
  document.getElementById("left").replaceChildren(element("a", { href: root.dataset.report }, root.dataset.named));
  document.getElementById("share").value = 1;
  document.getElementById("stop").hidden = true;
  document.getElementById("before").hidden = true;
});
events.onerror = () => {
  if (events.readyState !== EventSource.CLOSED) document.getElementById("stage").textContent = "The server does not answer; retrying";
};
