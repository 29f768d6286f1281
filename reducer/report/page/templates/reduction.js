
"use strict";
// Copy buttons.
for (const button of document.querySelectorAll("[data-copies]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const rows = document.getElementById(button.dataset.copies).querySelectorAll(".row");
    const text = Array.from(rows, row => row.textContent).join("");
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Copy failed";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}
// A wide graph fits its box, or keeps its size and scrolls. At first it fits if that is legible.
for (const button of document.querySelectorAll("[data-fits]")) {
  const svg = document.getElementById(button.dataset.fits);
  const box = svg.parentElement;
  const room = box.clientWidth / svg.width.baseVal.value;
  const show = fits => {
    svg.classList.toggle("fit", fits);
    button.setAttribute("aria-pressed", String(fits));
    button.hidden = !fits && svg.width.baseVal.value <= box.clientWidth;
  };
  button.addEventListener("click", () => show(!svg.classList.contains("fit")));
  addEventListener("resize", () => show(svg.classList.contains("fit")));
  show(room < 1 && room > 0.7);
  const named = svg.querySelector(".failing") || svg.querySelector(".kept");
  if (named) { // what matters most is in sight at first
    const at = named.getBoundingClientRect(), frame = box.getBoundingClientRect();
    box.scrollLeft += at.left + at.width / 2 - frame.left - frame.width / 2;
    box.scrollTop += at.top + at.height / 2 - frame.top - frame.height / 2;
  }
}
// Under each chart: what the point nearest to the pointer, or chosen by arrow keys, says.
for (const chart of document.querySelectorAll(".chart")) {
  const dots = Array.from(chart.querySelectorAll(".dot"));
  const readout = chart.parentElement.querySelector(".readout");
  let chosen = -1;
  const choose = index => {
    if (dots[chosen]) dots[chosen].classList.remove("on");
    chosen = index;
    if (dots[chosen]) dots[chosen].classList.add("on");
    readout.textContent = dots[chosen] ? dots[chosen].querySelector("title").textContent : "";
  };
  chart.addEventListener("pointermove", event => {
    let best = -1, nearest = 60 ** 2;
    dots.forEach((dot, index) => {
      const at = dot.getBoundingClientRect();
      const distance = (at.x + at.width / 2 - event.clientX) ** 2
        + (at.y + at.height / 2 - event.clientY) ** 2;
      if (distance < nearest) { nearest = distance; best = index; }
    });
    choose(best);
  });
  chart.addEventListener("pointerleave", () => choose(-1));
  chart.addEventListener("blur", () => choose(-1));
  chart.addEventListener("keydown", event => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined || dots.length === 0) return;
    choose((chosen + step + dots.length) % dots.length);
    event.preventDefault();
  });
}
