// A picture of the main part of a run's page: its totals, its network, who had which core when, and its decisions.
import {pathToFileURL} from "node:url";
import {resolve} from "node:path";
import {open, settled} from "./browser.mjs";

const shownSections = ["Network", "Cores over time", "Records a second"];

export async function takePicture(browser, from, to) {
  const {page, context, faults} = await open(browser, pathToFileURL(resolve(from)).href, {width: 1280});
  if (faults.length) throw new Error(`the page has faults: ${faults.join("; ")}`);
  const end = await page.evaluate(titles => {
    for (const one of document.querySelectorAll(".bar, .theme, .notices, footer, .table, section[data-title]"))
      if (!titles.includes(one.dataset.title)) one.remove();
    for (const one of document.querySelectorAll(".controls .buttons")) one.remove();
    return document.querySelector("main").getBoundingClientRect().bottom;
  }, shownSections);
  await settled(page);
  await page.screenshot({path: to, fullPage: true, clip: {x: 0, y: 0, width: 1280, height: Math.ceil(end + 20)}});
  await context.close();
}
