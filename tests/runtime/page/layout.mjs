// What is wrong with how a page is laid out, in words: found in the browser, by the boxes of its elements.
export function layoutFaults(page) {
  return page.evaluate(() => {
    const faults = [];
    const wide = document.documentElement;
    if (wide.scrollWidth > innerWidth) {
      const out = [...document.querySelectorAll("#page *")].filter(one => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".scroll, .network, .decisions"));
      faults.push(`the page is ${wide.scrollWidth} px wide in ${innerWidth} px: ${out.slice(0, 3).map(one => `${one.tagName}.${one.getAttribute("class")}`).join(", ")}`);
    }

    const isSeen = one => one.checkVisibility({visibilityProperty: true, opacityProperty: true});
    const said = one => (one.textContent ?? "").trim().slice(0, 50);

    // Text that is cut off, where nothing shows the rest of it.
    for (const one of document.querySelectorAll("#page *")) {
      if (one.closest("svg") || !isSeen(one) || !one.clientWidth) continue;
      const style = getComputedStyle(one);
      const cuts = ["hidden", "clip"].includes(style.overflowX);
      if (cuts && one.scrollWidth > one.clientWidth + 1 && !one.closest("[title]") && said(one)) faults.push(`"${said(one)}" is cut off`);
    }

    // The boxes of all texts, as much of each as its scrolling ancestors show.
    const boxes = [];
    const shownPart = (box, one) => {
      let {left, top, right, bottom} = box;
      for (let around = one; around && around !== document.body; around = around.parentElement) {
        if (getComputedStyle(around).overflow === "visible" || around.tagName === "svg") continue;
        const frame = around.getBoundingClientRect();
        [left, top, right, bottom] = [Math.max(left, frame.left), Math.max(top, frame.top), Math.min(right, frame.right), Math.min(bottom, frame.bottom)];
      }
      return right - left > 1 && bottom - top > 1 ? {left, top, right, bottom} : null;
    };
    const walker = document.createTreeWalker(document.getElementById("page"), NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      const one = text.parentElement;
      if (!text.data.trim() || !isSeen(one) || one.closest("option, title, .values")) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      const rectangles = one.closest("svg") ? [one.getBoundingClientRect()] : [...range.getClientRects()];
      const isSticky = one.closest(".bar, thead, .scroll tbody th") !== null;
      for (const rectangle of rectangles) {
        const box = shownPart(rectangle, one);
        if (box && !isSticky) boxes.push({...box, one, words: text.data.trim().slice(0, 40)});
      }
    }
    boxes.sort((a, b) => a.top - b.top);
    for (let i = 0; i < boxes.length; ++i)
      for (let j = i + 1; j < boxes.length && boxes[j].top < boxes[i].bottom - 3; ++j) {
        const [a, b] = [boxes[i], boxes[j]];
        if (a.one === b.one) continue;
        const [across, down] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - b.top];
        if (across > 3 && down > 4) faults.push(`"${a.words}" and "${b.words}" overlap by ${Math.round(across)} x ${Math.round(down)} px`);
      }

    // In the drawing, names stay within their boxes, labels of streams out of them.
    const bodies = [...document.querySelectorAll(".network .body")].map(one => one.getBoundingClientRect());
    for (const node of document.querySelectorAll(".network .component, .network .plain")) {
      const body = node.querySelector(".body").getBoundingClientRect();
      const name = (node.getAttribute("aria-label") ?? "").split(",")[0];
      if (node.matches(".component") && name.length <= 12 && said(node.querySelector(".name")).endsWith("\u2026")) faults.push(`the name "${name}" is cut in its box`);
      for (const text of node.querySelectorAll("text")) {
        const box = text.getBoundingClientRect();
        if (box.width && (box.left < body.left - 1 || box.right > body.right + 1)) faults.push(`"${said(text)}" leaves its box`);
      }
    }
    for (const label of document.querySelectorAll(".network .edge-label")) {
      const box = label.getBoundingClientRect();
      for (const body of bodies) {
        const [across, down] = [Math.min(box.right, body.right) - Math.max(box.left, body.left), Math.min(box.bottom, body.bottom) - Math.max(box.top, body.top)];
        if (box.width && across > 4 && down > 4) faults.push(`the label "${said(label)}" of a stream lies on a box`);
      }
    }

    // Charts without a line, and those that do not fit their place.
    for (const chart of document.querySelectorAll(".chart")) {
      if (!isSeen(chart)) continue;
      const canvas = chart.querySelector("canvas");
      if (!canvas) {
        faults.push("a chart was not drawn");
        continue;
      }
      if (canvas.getBoundingClientRect().right > chart.getBoundingClientRect().right + 1) faults.push("a chart is wider than its place");
    }
    return [...new Set(faults)];
  });
}

// In how many colours each chart of the page is drawn, on all of its canvases.
export function coloursOfCharts(page) {
  return page.evaluate(() => [...document.querySelectorAll(".plot")].map(plot => {
    const seen = new Set();
    for (const canvas of plot.querySelectorAll("canvas")) {
      const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      for (let i = 0; i < data.length; i += 4 * 7) seen.add((data[i] << 24) | (data[i + 1] << 16) | (data[i + 2] << 8) | data[i + 3]);
    }
    return {title: plot.closest("section")?.dataset.title ?? "", colours: seen.size};
  }));
}
