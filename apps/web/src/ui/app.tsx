import { lazy } from "react";
import { Route, Switch } from "wouter";
import { aboutWords } from "./about/words-catalog.ts";
import { CallPage } from "./call/call-page.tsx";
import { dashboardWords } from "./dashboard/words-catalog.ts";
import { Home } from "./home/home.tsx";
import { withWords } from "./language/language.ts";
import { liveWords } from "./live/words-catalog.ts";
import { NotFound } from "./not-found.tsx";
import { Online } from "./online.tsx";
import { Loaded } from "./parts/loaded.tsx";
import { Preloadable, Preloaded } from "./parts/preloaded.tsx";
import { vaultWords } from "./vault/words-catalog.ts";

/** Loaded only where it is shown. */
const DashboardPage = lazy(() => withWords(dashboardWords, import("./dashboard/page.tsx")));
const HostPage = lazy(() => withWords(liveWords, import("./live/host-page.tsx")));
const watchPage = new Preloadable(() => withWords(liveWords, import("./live/watch-page.tsx")));
const VaultPage = lazy(() => withWords(vaultWords, import("./vault/page.tsx")));
const HelpPage = lazy(() => withWords(aboutWords, import("./about/help.tsx")));
const PrivacyPage = lazy(() => withWords(aboutWords, import("./about/privacy.tsx")));

/** Beside the words of all screens, and not after them: who watches waits for nothing else. Where it does not come, the page says so. */
export async function preload(): Promise<void> {
  if (location.pathname.startsWith("/watch/")) await watchPage.load().catch(() => undefined);
}

export function App() {
  return (
    <Switch>
      <Route path="/" component={Home} />
      <Route path="/call/:room">
        {({ room }) => (
          <Online>
            <CallPage room={room} />
          </Online>
        )}
      </Route>
      <Route path="/live/:room">
        {({ room }) => (
          <Online>
            <Loaded>
              <HostPage room={room} />
            </Loaded>
          </Online>
        )}
      </Route>
      <Route path="/watch/:room">
        {({ room }) => (
          <Online>
            <Loaded>
              <Preloaded page={watchPage} props={{ room }} />
            </Loaded>
          </Online>
        )}
      </Route>
      <Route path="/dashboard">
        <Loaded>
          <DashboardPage />
        </Loaded>
      </Route>
      <Route path="/vault">
        <Loaded>
          <VaultPage />
        </Loaded>
      </Route>
      <Route path="/help">
        <Loaded>
          <HelpPage />
        </Loaded>
      </Route>
      <Route path="/privacy">
        <Loaded>
          <PrivacyPage />
        </Loaded>
      </Route>
      <Route component={NotFound} />
    </Switch>
  );
}
