/** Names of files that others send: what a disk may get, and what a person has to be warned of. */

const MAX_LETTERS = 120;
const NO_NAME = "file";
/** Besides what is invisible or turns text round: what file systems take for something else. */
const NOT_IN_NAMES = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}<>:"|?*]+/gu;
/** Devices, on Windows, whatever follows a dot. */
const RESERVED = /^(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$|clock\$)(\.|$)/i;

/**
 * The name under which a file from someone else may be written: its last part without paths, invisible letters, reserved
 * names and what hides what the file is.
 */
export function safeFileName(raw: string): string {
  const last = raw.toWellFormed().normalize("NFC").split(/[\\/]/).at(-1) ?? "";
  const shown = last.replace(NOT_IN_NAMES, "").replace(/\s+/g, " ");
  const name = shortened(shown.replace(/^[. ]+|[. ]+$/g, ""));
  if (name === "") return NO_NAME;
  return RESERVED.test(name) ? `_${name}` : name;
}

/** Its ending stays, since that says what the file is. */
function shortened(name: string): string {
  const letters = [...name];
  if (letters.length <= MAX_LETTERS) return name;
  const dot = letters.lastIndexOf(".");
  const ending = dot > 0 && letters.length - dot <= 12 ? letters.slice(dot) : [];
  return [...letters.slice(0, MAX_LETTERS - ending.length), ...ending].join("").replace(/[. ]+$/, "");
}

/** Endings of what runs, installs, holds scripts or macros, or leads somewhere else, once it is opened. */
const RUNS = new Set(
  `exe com scr pif cpl msi msix msixbundle appx appxbundle msp mst bat cmd ps1 psm1 psc1 vb vbs vbe js jse mjs ws wsf wsh wsc
  hta jar class dll sys drv ocx gadget inf reg lnk url website scf chm hlp application appref-ms settingcontent-ms theme
  library-ms search-ms iso img vhd vhdx cab msc sct sh bash zsh csh fish command run bin app dmg pkg mpkg workflow
  action terminal webloc inetloc fileloc desktop appimage deb rpm flatpakref snap apk xapk aab ipa mobileconfig crx xpi
  py pyw pyc pyz rb pl php lua ipynb html htm xhtml shtml mht mhtml svg svgz xml xsl xslt swf
  docm dotm xlsm xltm xlam xls xlsb xll pptm potm ppam ppsm sldm doc dot ppt one rtf slk iqy`.split(/\s+/),
);

/** A file of that name can run, or lead to what runs, once it is opened. */
export function canRun(name: string): boolean {
  const dot = name.lastIndexOf(".");
  return dot >= 0 && RUNS.has(name.slice(dot + 1).toLowerCase());
}
