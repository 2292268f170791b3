import { lazy, Suspense } from "react";
import { Route, Switch } from "wouter";
import { CallPage } from "./call/call-page.tsx";
import { Home } from "./home/home.tsx";
import { HostPage } from "./live/host-page.tsx";
import { WatchPage } from "./live/watch-page.tsx";
import { NotFound } from "./not-found.tsx";

/** Loaded only where it is shown. */
const DashboardPage = lazy(() => import("./dashboard/page.tsx"));
const VaultPage = lazy(() => import("./vault/page.tsx"));

export function App() {
  return (
    <Switch>
      <Route path="/" component={Home} />
      <Route path="/call/:room">{({ room }) => <CallPage room={room} />}</Route>
      <Route path="/live/:room">{({ room }) => <HostPage room={room} />}</Route>
      <Route path="/watch/:room">{({ room }) => <WatchPage room={room} />}</Route>
      <Route path="/dashboard">
        <Suspense>
          <DashboardPage />
        </Suspense>
      </Route>
      <Route path="/vault">
        <Suspense>
          <VaultPage />
        </Suspense>
      </Route>
      <Route component={NotFound} />
    </Switch>
  );
}
