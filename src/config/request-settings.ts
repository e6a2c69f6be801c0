import { integer, setting, switchValue } from './setting.ts'

export const requestSettings = {
  maxBody: setting(integer(1, 2 ** 30).default(64 * 1024 * 1024), {
    env: 'SERVICE_MAXBODY',
    flag: 'max-body',
    help: 'Largest upload of embeddings in bytes, after decompression; other bodies have 1 MiB at most',
  }),
  trustProxy: setting(switchValue.default(false), {
    env: 'SERVICE_TRUSTPROXY',
    flag: 'trust-proxy',
    help: 'Believe X-Forwarded-Proto, -Host and -For, which a proxy in front sets',
  }),
  slowRequest: setting(integer(0, 86_400_000).default(1_000), {
    env: 'SERVICE_SLOWREQUEST',
    flag: 'slow-request',
    help: 'Milliseconds above which a request is logged as a warning; 0 for none',
  }),
  rateLimit: setting(integer(0, 1_000_000_000).default(0), {
    env: 'SERVICE_RATELIMIT',
    flag: 'rate-limit',
    help: "Requests a minute with one user's key; 0 for no limit",
  }),
  publicMetrics: setting(switchValue.default(false), {
    env: 'SERVICE_PUBLICMETRICS',
    flag: 'public-metrics',
    help: 'Serve /metrics without the administrator key',
  }),
}
