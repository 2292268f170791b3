import "../../../web/src/ui/base.css";
import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Lab } from "./lab.tsx";
import { messages } from "./locales/en.po";

i18n.loadAndActivate({ locale: "en", messages });

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");

createRoot(root).render(
  <StrictMode>
    <I18nProvider i18n={i18n}>
      <Lab />
    </I18nProvider>
  </StrictMode>,
);
