// Checks the page of a run in Chromium.
//
//   node check.mjs smoke --programs FOLDER --out FOLDER      some saved pages, one of hostile names
//   node check.mjs saved --programs FOLDER --out FOLDER      pages of all fixtures and of a real run, with screenshots
//                                                            --only NAME, of both: one of these pages
//   node check.mjs live  --programs FOLDER --out FOLDER      a live page of a server of ours
//   node check.mjs live URL [--out FOLDER]                   a live page of a program that runs
//   node check.mjs picture PAGE.html FILE.png                a picture of the main part of a run's page
//
// --programs is where write_page and write_run were built. Exits with 0 when all holds, with 1 when something does not,
// and with 77 when Chromium or playwright-core is missing.
import {mkdirSync} from "node:fs";
import {parseArgs} from "node:util";
import {launch, missing} from "./browser.mjs";
import {checkLive, checkLiveOfOurs} from "./live.mjs";
import {takePicture} from "./picture.mjs";
import {Findings} from "./findings.mjs";
import {checkSaved, checkSmoke} from "./saved.mjs";

const usage = "usage: node check.mjs smoke|saved|live [URL] [--programs FOLDER] [--out FOLDER] [--only NAME], or picture PAGE.html FILE.png";

async function main() {
  const {values, positionals} = parseArgs({allowPositionals: true, options: {programs: {type: "string"}, out: {type: "string", default: "page-screenshots"}, only: {type: "string"}}});
  const [mode, ...rest] = positionals;
  const isKnownMode = mode === "live" && rest.length <= 1 || mode === "picture" && rest.length === 2 || ["smoke", "saved"].includes(mode) && !rest.length;
  const needsPrograms = mode === "smoke" || mode === "saved" || (mode === "live" && !rest.length);
  if (!isKnownMode || (needsPrograms && !values.programs)) {
    console.error(usage);
    return 2;
  }
  const lacking = missing();
  if (lacking) {
    console.log(`skipped: ${lacking} is missing; runtime/package/prepare.sh --browser installs it`);
    return 77;
  }
  const browser = await launch();
  const findings = new Findings();
  try {
    if (mode !== "picture") mkdirSync(values.out, {recursive: true});
    const setting = {browser, findings, programs: values.programs, out: values.out, only: values.only};
    if (mode === "smoke") await checkSmoke(setting);
    else if (mode === "saved") await checkSaved(setting);
    else if (mode === "picture") await takePicture(browser, ...rest);
    else if (rest.length) await checkLive(setting, rest[0]);
    else await checkLiveOfOurs(setting);
  } finally {
    await browser.close();
  }
  if (mode === "picture") return 0;
  if (mode !== "smoke") console.log(`Screenshots are in ${values.out}`);
  return findings.report();
}

process.exit(await main());
