import { i18n, type Messages } from "@lingui/core";
import { recall, remember } from "../stored.ts";
import { DIRECTIONS, formatsOf, type Locale, localeFor } from "./locale.ts";

/** Words of some screens, loaded in the language that is spoken and in no other. */
export type Catalog = Readonly<Record<Locale, () => Promise<{ messages: Messages }>>>;

const KEY = "sealcast.language";

/** Words of all screens but those that add some of their own. */
const common: Catalog = {
  en: () => import("../locales/en.po"),
  de: () => import("../locales/de.po"),
  ar: () => import("../locales/ar.po"),
};

/** The language that the screens speak, and the words that they have been given. */
class Language {
  readonly #catalogs = new Set([common]);
  #locale = localeFor(recall(KEY), navigator.languages);

  /** Speaks the language that was chosen here or that the browser wants, or English where its words do not come. */
  begin(): Promise<void> {
    return this.#speak(this.#locale).catch(() => this.#speak("en"));
  }

  /** Changes the language, also for later visits. Rejects where its words do not come: then nothing has changed. */
  async choose(locale: Locale): Promise<void> {
    await this.#speak(locale);
    remember(KEY, locale);
  }

  /** Brings the words of screens that are about to be shown. */
  async add(catalog: Catalog): Promise<void> {
    this.#catalogs.add(catalog);
    await load(this.#locale, catalog);
  }

  async #speak(locale: Locale): Promise<void> {
    const before = this.#locale;
    this.#locale = locale;
    try {
      await Promise.all([...this.#catalogs].map((catalog) => load(locale, catalog)));
    } catch (error) {
      if (this.#locale === locale) this.#locale = before;
      throw error;
    }
    // Another one was chosen meanwhile.
    if (this.#locale !== locale) return;
    i18n.activate(locale, formatsOf(locale, navigator.languages));
    Object.assign(document.documentElement, { lang: locale, dir: DIRECTIONS[locale] });
  }
}

/** A page that has words of its own, with them. */
export async function withWords<P>(words: Catalog, page: Promise<P>): Promise<P> {
  const [loaded] = await Promise.all([page, language.add(words)]);
  return loaded;
}

async function load(locale: Locale, catalog: Catalog): Promise<void> {
  i18n.load(locale, (await catalog[locale]()).messages);
}

export const language = new Language();
