import "./ui/base.css";
import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App, preload } from "./ui/app.tsx";
import { language } from "./ui/language/language.ts";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");

// Nothing is painted before the words are here, so nothing turns round after it was.
Promise.all([language.begin(), preload()]).then(
  () =>
    createRoot(root).render(
      <StrictMode>
        <I18nProvider i18n={i18n}>
          <App />
        </I18nProvider>
      </StrictMode>,
    ),
  () => {
    // Of all languages, none has come.
    root.textContent = "Sealcast did not load. Check your connection, then load this page again.";
  },
);
