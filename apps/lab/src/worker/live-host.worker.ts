import "@sealcast/keys/live-host-worker";
