import type { ReactNode } from "react";

/**
 * Drawn beside a word or inside a named control, so never named itself. One that `points` forward, or is read, is turned round
 * in a language that is written from right to left.
 */
function Icon({ children, points = false }: { children: ReactNode; points?: boolean }) {
  return (
    <svg
      data-points={points}
      viewBox="0 0 24 24"
      width="24"
      height="24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

const microphone = (
  <>
    <rect x="9" y="3" width="6" height="11" rx="3" />
    <path d="M5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3" />
  </>
);

const camera = (
  <>
    <rect x="2.5" y="6" width="13" height="12" rx="3" />
    <path d="m15.5 11 4.6-3.1a.9.9 0 0 1 1.4.7v6.8a.9.9 0 0 1-1.4.7L15.5 13" />
  </>
);

const slash = <path d="M3.5 3.5l17 17" />;

export const MicrophoneIcon = () => <Icon>{microphone}</Icon>;

export const MicrophoneOffIcon = () => (
  <Icon>
    {microphone}
    {slash}
  </Icon>
);

export const CameraIcon = () => <Icon>{camera}</Icon>;

export const CameraOffIcon = () => (
  <Icon>
    {camera}
    {slash}
  </Icon>
);

export const LeaveIcon = () => (
  <Icon points>
    <path d="M10 4H7a3 3 0 0 0-3 3v10a3 3 0 0 0 3 3h3M14.5 8l4 4-4 4M18 12H9.5" />
  </Icon>
);

export const LinkIcon = () => (
  <Icon>
    <path d="M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1" />
    <path d="M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1" />
  </Icon>
);

export const LockIcon = () => (
  <Icon>
    <rect x="5" y="10.5" width="14" height="10" rx="2.5" />
    <path d="M8 10.5V7.5a4 4 0 0 1 8 0v3M12 14.5v2" />
  </Icon>
);

/** A door that is shut. */
export const ClosedIcon = () => (
  <Icon>
    <path d="M6 20.5V5a1.5 1.5 0 0 1 1.5-1.5h9A1.5 1.5 0 0 1 18 5v15.5M3.5 20.5h17M14.5 12v1" />
  </Icon>
);

export const AlertIcon = () => (
  <Icon>
    <path d="M10.7 4.3 2.9 17.8A1.5 1.5 0 0 0 4.2 20h15.6a1.5 1.5 0 0 0 1.3-2.2L13.3 4.3a1.5 1.5 0 0 0-2.6 0zM12 9.5v4M12 16.8v.01" />
  </Icon>
);

export const InfoIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="9" />
    <path d="M12 11v5.5M12 7.7v.01" />
  </Icon>
);

/** Of languages: a sign that no script of its own needs. */
export const LanguageIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="9" />
    <path d="M3 12h18M12 3c2.6 2.6 3.8 5.6 3.8 9s-1.2 6.4-3.8 9c-2.6-2.6-3.8-5.6-3.8-9S9.4 5.6 12 3z" />
  </Icon>
);

export const KeyboardIcon = () => (
  <Icon>
    <rect x="2.5" y="6" width="19" height="12" rx="2.5" />
    <path d="M6.5 10h.01M10.2 10h.01M13.8 10h.01M17.5 10h.01M8 14h8" />
  </Icon>
);

export const UpIcon = () => (
  <Icon>
    <path d="M12 19.5v-15M5.5 11 12 4.5l6.5 6.5" />
  </Icon>
);

export const CheckIcon = () => (
  <Icon>
    <path d="m5 12.5 4.5 4.5L19 7.5" />
  </Icon>
);

export const CloseIcon = () => (
  <Icon>
    <path d="M6 6l12 12M18 6 6 18" />
  </Icon>
);

export const SettingsIcon = () => (
  <Icon points>
    <path d="M4 7h9M19 7h1M4 17h1M11 17h9" />
    <circle cx="16" cy="7" r="2.5" />
    <circle cx="8" cy="17" r="2.5" />
  </Icon>
);

export const MoreIcon = () => (
  <Icon>
    <path d="M6 12h.01M12 12h.01M18 12h.01" strokeWidth="3.5" />
  </Icon>
);

export const PinIcon = () => (
  <Icon>
    <path d="M9 3.5h6l-.8 6 3.3 3.5v1.5h-11V13l3.3-3.5zM12 14.5v6" />
  </Icon>
);

export const HideIcon = () => (
  <Icon>
    <path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z" />
    <circle cx="12" cy="12" r="3" />
    {slash}
  </Icon>
);

export const ShrinkIcon = () => (
  <Icon>
    <path d="M4 9h3a2 2 0 0 0 2-2V4M15 4v3a2 2 0 0 0 2 2h3M20 15h-3a2 2 0 0 0-2 2v3M9 20v-3a2 2 0 0 0-2-2H4" />
  </Icon>
);

export const ZoomInIcon = () => (
  <Icon>
    <circle cx="10.5" cy="10.5" r="6.5" />
    <path d="m15.5 15.5 5 5M7.5 10.5h6M10.5 7.5v6" />
  </Icon>
);

export const ZoomOutIcon = () => (
  <Icon>
    <circle cx="10.5" cy="10.5" r="6.5" />
    <path d="m15.5 15.5 5 5M7.5 10.5h6" />
  </Icon>
);

export const PreviousIcon = () => (
  <Icon>
    <path d="m14.5 5.5-6.5 6.5 6.5 6.5" />
  </Icon>
);

export const NextIcon = () => (
  <Icon>
    <path d="m9.5 5.5 6.5 6.5-6.5 6.5" />
  </Icon>
);

export const PictureInPictureIcon = () => (
  <Icon>
    <path d="M21 11V7a2 2 0 0 0-2-2H5a2 2 0 0 0-2 2v10a2 2 0 0 0 2 2h5" />
    <rect x="13" y="14" width="8" height="6" rx="1.5" />
  </Icon>
);

export const PeopleIcon = () => (
  <Icon>
    <circle cx="9" cy="8.5" r="3.5" />
    <path d="M2.5 19.5c.6-3.4 3.2-5.5 6.5-5.5s5.9 2.1 6.5 5.5M16 5.3a3.5 3.5 0 0 1 0 6.4M18.2 14.6c1.8.8 3 2.5 3.3 4.9" />
  </Icon>
);

export const VerifiedIcon = () => (
  <Icon>
    <path d="M12 3 5 5.6v5.6c0 4.3 2.8 7.7 7 9.8 4.2-2.1 7-5.5 7-9.8V5.6L12 3Z" />
    <path d="m8.8 11.8 2.3 2.3 4.2-4.4" />
  </Icon>
);

const speaker = <path d="M4 9.5v5h3.5L12 18.5v-13L7.5 9.5z" />;

export const SoundIcon = () => (
  <Icon points>
    {speaker}
    <path d="M15.5 9a4 4 0 0 1 0 6M18 6.5a7.5 7.5 0 0 1 0 11" />
  </Icon>
);

export const SoundOffIcon = () => (
  <Icon points>
    {speaker}
    <path d="m16 9.5 5 5M21 9.5l-5 5" />
  </Icon>
);

export const FullScreenIcon = () => (
  <Icon>
    <path d="M4 9V6a2 2 0 0 1 2-2h3M15 4h3a2 2 0 0 1 2 2v3M20 15v3a2 2 0 0 1-2 2h-3M9 20H6a2 2 0 0 1-2-2v-3" />
  </Icon>
);

export const ScreenIcon = () => (
  <Icon>
    <rect x="3" y="4.5" width="18" height="12" rx="2" />
    <path d="M8 20h8M12 16.5V20M9.5 11 12 8.5l2.5 2.5M12 8.5V14" />
  </Icon>
);

export const RecordIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="9" />
    <circle cx="12" cy="12" r="4.5" fill="currentColor" stroke="none" />
  </Icon>
);

export const CaptionsIcon = () => (
  <Icon>
    <rect x="3" y="5" width="18" height="14" rx="3" />
    <path d="M10.5 10.4a2 2 0 1 0 0 3.2M17 10.4a2 2 0 1 0 0 3.2" />
  </Icon>
);

export const StopIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="9" />
    <rect x="8.5" y="8.5" width="7" height="7" rx="1" fill="currentColor" stroke="none" />
  </Icon>
);

export const DashboardIcon = () => (
  <Icon>
    <path d="M4 19.5h16M6.5 16v-4M11 16V7M15.5 16v-6M20 16V5" />
  </Icon>
);

export const QuestionIcon = () => (
  <Icon points>
    <path d="M4 6.5A2.5 2.5 0 0 1 6.5 4h11A2.5 2.5 0 0 1 20 6.5v7a2.5 2.5 0 0 1-2.5 2.5H12l-4.5 4v-4h-1A2.5 2.5 0 0 1 4 13.5z" />
    <path d="M10.2 8.6a1.9 1.9 0 1 1 2.6 1.8c-.5.2-.8.6-.8 1.1M12 13.4v.01" />
  </Icon>
);

export const ImageIcon = () => (
  <Icon>
    <rect x="3" y="5" width="18" height="14" rx="2.5" />
    <circle cx="8.5" cy="10" r="1.5" />
    <path d="m4 17 5-4.5 3.5 3 3.5-3.5 4.5 4" />
  </Icon>
);

export const FileIcon = () => (
  <Icon>
    <path d="M7 3.5h6.5L18 8v11a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 6 19V5A1.5 1.5 0 0 1 7 3.5zM13 4v4.5h4.5" />
  </Icon>
);

export const ChatIcon = () => (
  <Icon>
    <path d="M4 6.5A2.5 2.5 0 0 1 6.5 4h11A2.5 2.5 0 0 1 20 6.5v7a2.5 2.5 0 0 1-2.5 2.5H12l-4.5 4v-4h-1A2.5 2.5 0 0 1 4 13.5z" />
    <path d="M8 8.5h8M8 11.8h5" />
  </Icon>
);

export const HandIcon = () => (
  <Icon>
    <path d="M7 12.5V6.2a1.5 1.5 0 0 1 3 0V11M10 11V4.5a1.5 1.5 0 0 1 3 0V11M13 11V5.7a1.5 1.5 0 0 1 3 0v6M16 9.2a1.5 1.5 0 0 1 3 0v5.3a6.5 6.5 0 0 1-6.5 6.5c-2.4 0-4-.9-5.3-2.8l-3-4.6a1.5 1.5 0 0 1 2.4-1.8l.4.7" />
  </Icon>
);

export const ReactionIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="9" />
    <path d="M8.3 14.2a4.4 4.4 0 0 0 7.4 0M9 9.5v.01M15 9.5v.01" />
  </Icon>
);

/** Mirrored where text runs from right to left. */
export const ReplyIcon = () => (
  <Icon>
    <path d="m9 7-5 5 5 5M4.5 12H14a6 6 0 0 1 6 6v1" />
  </Icon>
);

export const QualityIcon = () => (
  <Icon>
    <path d="M4.6 18a8.5 8.5 0 1 1 14.8 0M12 14l4-5" />
    <circle cx="12" cy="14" r="1.5" />
  </Icon>
);
