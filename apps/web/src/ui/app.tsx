import { lazy } from "react";
import { Route, Switch } from "wouter";
import { aboutWords } from "./about/words.ts";
import { CallPage } from "./call/call-page.tsx";
import { Home } from "./home/home.tsx";
import { type Catalog, language } from "./language/language.ts";
import { WatchPage } from "./live/watch-page.tsx";
import { Loaded } from "./loaded.tsx";
import { NotFound } from "./not-found.tsx";
import { Online } from "./online.tsx";
import { vaultWords } from "./vault/words.ts";

/** Loaded only where it is shown. */
const DashboardPage = lazy(() => import("./dashboard/page.tsx"));
const HostPage = lazy(() => import("./live/host-page.tsx"));
const VaultPage = lazy(() => withWords(vaultWords, import("./vault/page.tsx")));
const HelpPage = lazy(() => withWords(aboutWords, import("./about/help.tsx")));
const PrivacyPage = lazy(() => withWords(aboutWords, import("./about/privacy.tsx")));

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
            <WatchPage room={room} />
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

/** A page that has words of its own, with them. */
async function withWords<P>(words: Catalog, page: Promise<P>): Promise<P> {
  const [loaded] = await Promise.all([page, language.add(words)]);
  return loaded;
}
