import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type CSSProperties, useEffect, useState } from 'react';
import { api } from '../api.js';

interface ShotProps {
  readonly run: string;
  readonly hash: string;
  /** One of 120, 240 and 480 px; default: as recorded. */
  readonly width?: number;
  /** Shows the screen before until the next one is there. */
  readonly isLive?: boolean;
  readonly alt: string;
  readonly className?: string;
  readonly style?: CSSProperties;
}

/** A recorded screenshot. */
export function Screenshot({ run, hash, width, isLive = false, ...image }: ShotProps) {
  const { data: blob } = useQuery({
    queryKey: ['screenshot', run, hash, width],
    queryFn: ({ signal }) => api.screenshot(run, hash, width, signal),
    staleTime: Infinity,
    ...(isLive && { placeholderData: keepPreviousData }),
  });
  const url = useBlobUrl(blob);
  return url === undefined ? <span className="shot-missing" {...image} /> : <img src={url} {...image} />;
}

export function useBlobUrl(blob: Blob | undefined): string | undefined {
  const [current, setCurrent] = useState<{ readonly blob: Blob; readonly url: string }>();
  useEffect(() => {
    if (!blob) return;
    const url = URL.createObjectURL(blob);
    setCurrent({ blob, url });
    return () => URL.revokeObjectURL(url);
  }, [blob]);
  // That of another blob has been revoked.
  return current && current.blob === blob ? current.url : undefined;
}
