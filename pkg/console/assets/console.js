// Keeps a page up to date: it asks for the page again and swaps the parts that changed. Without it all of reading works.
"use strict";
(() => {
  const SECOND = 1000;
  const UNTOUCHED = 15 * 60 * SECOND; // after so long without a touch nothing is asked for any more
  const main = document.getElementById("main");
  const late = document.getElementById("late");
  const told = document.getElementById("told");
  const asked = document.getElementById("asked");
  const waiting = new Map(); // parts that are newer than what is under focus

  let tag = "";
  let poll = Number(main.dataset.poll);
  let failed = 0;
  let good = Date.now();
  let touched = Date.now();
  let timer = 0;
  let asking = false;
  let paused = false;

  const pace = () => (failed >= 3 ? 60 : poll) * SECOND;

  function plan(after) {
    clearTimeout(timer);
    if (poll > 0 && !paused && document.visibilityState === "visible") timer = setTimeout(ask, after);
  }

  function say(text, go) {
    late.replaceChildren();
    late.hidden = text === "";
    if (text === "") return;
    late.append(text + " ");
    if (go) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Continue";
      button.addEventListener("click", resume);
      late.append(button);
    }
  }

  function resume() {
    paused = false;
    touched = Date.now();
    say("", false);
    ask();
  }

  async function ask() {
    if (asking || document.visibilityState !== "visible") return;
    if (Date.now() - touched > UNTOUCHED) {
      paused = true;
      say("Paused, because the page was not touched for 15 minutes.", true);
      return;
    }
    asking = true;
    try {
      const headers = { Accept: "text/html" };
      if (tag) headers["If-None-Match"] = tag;
      const answer = await fetch(location.href, { headers, cache: "no-store", credentials: "same-origin" });
      if (answer.status === 401 || answer.status >= 500) throw new Error("HTTP status " + answer.status);
      if (answer.status !== 304) {
        tag = answer.headers.get("ETag") || "";
        swap(new DOMParser().parseFromString(await answer.text(), "text/html"));
      }
      failed = 0;
      good = Date.now();
      document.body.classList.remove("old");
      say("", false);
    } catch (err) {
      failed++;
      if (failed >= 3) {
        document.body.classList.add("old");
        say("These figures are of " + new Date(good).toLocaleTimeString() + ": " + err.message + ".", false);
      }
    } finally {
      asking = false;
      ages();
      plan(pace());
    }
  }

  // swap puts the parts of a newer page in their places. A part under focus waits until the focus leaves it.
  function swap(page) {
    const next = page.getElementById("main");
    if (!next) return;
    poll = Number(next.dataset.poll);
    const parts = next.querySelectorAll("[data-part]");
    const ids = new Set(Array.from(parts, (p) => p.id));
    const old = Array.from(main.querySelectorAll("[data-part]"));
    if (old.length !== parts.length || old.some((p) => !ids.has(p.id))) {
      replace(main, next);
    } else {
      for (const part of parts) replace(document.getElementById(part.id), part);
    }
    document.title = page.title;
    if (next.dataset.told !== main.dataset.told) {
      main.dataset.told = next.dataset.told;
      told.textContent = next.dataset.told;
    }
    dress(main);
  }

  function replace(old, next) {
    if (plain(old) === next.innerHTML) return;
    if (old !== document.activeElement && old.contains(document.activeElement)) {
      waiting.set(old, next);
      old.classList.add("waits");
      return;
    }
    waiting.delete(old);
    const open = new Map(Array.from(old.querySelectorAll("details[id]"), (d) => [d.id, d.open]));
    const at = Array.from(old.querySelectorAll(".scroll, .log"), (s) => [s.scrollLeft, s.scrollTop]);
    old.replaceChildren(...Array.from(next.childNodes, (n) => document.importNode(n, true)));
    old.className = next.className;
    original.set(old, next.innerHTML);
    for (const d of old.querySelectorAll("details[id]")) if (open.has(d.id)) d.open = open.get(d.id);
    old.querySelectorAll(".scroll, .log").forEach((s, i) => { if (at[i]) [s.scrollLeft, s.scrollTop] = at[i]; });
  }

  // original has what the server sent for a part: what the script changed in it is no change.
  const original = new WeakMap();
  const plain = (part) => (original.has(part) ? original.get(part) : part.innerHTML);

  document.addEventListener("focusout", () => setTimeout(() => {
    for (const [old, next] of waiting) if (!old.contains(document.activeElement)) replace(old, next);
    dress(main);
  }, 0));

  // ages writes how long ago times are, as kubectl does.
  function ages() {
    for (const t of document.querySelectorAll("time[datetime]")) {
      const at = new Date(t.dateTime);
      t.title = at.toLocaleString() + " (" + t.dateTime + ")";
      if ("age" in t.dataset) t.textContent = since(Math.max(0, (Date.now() - at) / SECOND));
    }
    asked.textContent = "of " + new Date(good).toLocaleTimeString();
  }

  function since(s) {
    const [m, h, d] = [Math.floor(s / 60), Math.floor(s / 3600), Math.floor(s / 86400)];
    if (s < 120) return Math.floor(s) + "s";
    if (m < 10) return m + "m" + (Math.floor(s % 60) ? Math.floor(s % 60) + "s" : "");
    if (h < 3) return m + "m";
    if (h < 8) return h + "h" + (m % 60 ? (m % 60) + "m" : "");
    if (d < 2) return h + "h";
    return d < 8 && h % 24 ? d + "d" + (h % 24) + "h" : d + "d";
  }

  // dress adds a button to commands that can be copied.
  function dress(within) {
    for (const code of within.querySelectorAll("[data-copy]")) {
      if (code.nextElementSibling) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "Copy";
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(code.textContent);
        told.textContent = "copied";
      });
      code.after(button);
    }
    ages();
  }

  for (const part of main.querySelectorAll("[data-part]")) original.set(part, part.innerHTML);
  original.set(main, main.innerHTML);
  for (const event of ["pointerdown", "keydown", "wheel", "touchstart"]) {
    addEventListener(event, () => { touched = Date.now(); }, { passive: true });
  }
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") { if (!paused) { touched = Date.now(); if (poll > 0) ask(); } }
    else clearTimeout(timer);
  });
  dress(main);
  setInterval(() => { if (document.visibilityState === "visible") ages(); }, 10 * SECOND);
  plan(pace());
})();
