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

/**
 * Endings of what runs, installs, holds scripts or macros, or leads somewhere else, once it is opened: of Windows, of macOS,
 * of Linux, of several systems, of browsers, and of documents.
 */
const RUNS = new Set(
  `exe com scr pif cpl msi msix msixbundle appx appxbundle appinstaller msp mst msu ppkg bat cmd ps1 ps1xml ps2 ps2xml psm1
  psd1 psc1 psc2 vb vbs vbe vbscript js jse mjs ws wsf wsh wsc hta dll sys drv ocx gadget inf ins isp reg lnk url website
  scf shb shs chm hlp application appref-ms appcontent-ms settingcontent-ms library-ms search-ms searchconnector-ms theme
  themepack deskthemepack diagcab diagcfg diagpkg printerexport webpnp iso img vhd vhdx cab msc sct xbap vsto vsix rdp wsb
  ahk air
  command tool term terminal app dmg cdr smi ndif udif toast sparseimage sparsebundle pkg mpkg xip workflow wflow action
  caction service scpt scptd applescript osas osax shortcut webloc inetloc fileloc ftploc afploc vncloc mobileconfig
  configprofile ipa
  sh bash zsh csh tcsh ksh fish run bin out elf desktop appimage deb rpm flatpak flatpakref flatpakrepo snap
  jar jnlp class apk xapk aab py pyw pyc pyo pyd pyz pyzw rb pl php lua ipynb
  crx xpi html htm xht xhtm xhtml shtm shtml mht mhtml svg svgz xml xsl xslt swf
  doc docb docm dot dotm wbk xls xlsb xlsm xlt xltm xla xlam xll xlm xlw ppt pptm pot potm pps ppsm ppa ppam sldm
  accda accdb accde accdr accdt ade adp mda mdb mde mdw vsd vsdm vssm vstm pub one onepkg rtf slk iqy oqy dqy odc udl
  oxt`.split(/\s+/),
);

/** A file of that name can run, or lead to what runs, once it is opened. */
export function canRun(name: string): boolean {
  const dot = name.lastIndexOf(".");
  return dot >= 0 && RUNS.has(name.slice(dot + 1).toLowerCase());
}
