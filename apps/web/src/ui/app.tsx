import { lazy } from "react";
import { Route, Switch } from "wouter";
import { CallPage } from "./call/call-page.tsx";
import { Home } from "./home/home.tsx";
import { WatchPage } from "./live/watch-page.tsx";
import { Loaded } from "./loaded.tsx";
import { NotFound } from "./not-found.tsx";

/** Loaded only where it is shown. */
const DashboardPage = lazy(() => import("./dashboard/page.tsx"));
const HostPage = lazy(() => import("./live/host-page.tsx"));
const VaultPage = lazy(() => import("./vault/page.tsx"));

export function App() {
  return (
    <Switch>
      <Route path="/" component={Home} />
      <Route path="/call/:room">{({ room }) => <CallPage room={room} />}</Route>
      <Route path="/live/:room">
        {({ room }) => (
          <Loaded>
            <HostPage room={room} />
          </Loaded>
        )}
      </Route>
      <Route path="/watch/:room">{({ room }) => <WatchPage room={room} />}</Route>
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
      <Route component={NotFound} />
    </Switch>
  );
}
