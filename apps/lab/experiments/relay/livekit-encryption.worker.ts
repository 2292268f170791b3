import "livekit-client/e2ee-worker";
