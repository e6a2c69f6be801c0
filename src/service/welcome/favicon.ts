/** Two things that are similar. */
export const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b4fa8"/><circle cx="12.5" cy="16" r="7.5" fill="#8fc1ff"/><circle cx="19.5" cy="16" r="7.5" fill="#fff" fill-opacity=".72"/></svg>`

/** The same of 32 × 32 pixels as a PNG, for what asks for /favicon.ico. */
export const faviconPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAYAAABzenr0AAAC+UlEQVR4nMRXS09TQRg9c3v7uLel9GGpPASMQYxKxLCQoC6MGiKEoCvFhRJj3PszTEzcsnCpCUYTIMSoC1kZY4wajIFEEwIYebSA3EIftLQd5xZRzJ0pFwO9ZzWdM989J/PNzNdPxlZcHvCpNH2XjVoJaDNAKrAroFEKMsoG75LE+QCDV7RNhmwO1K7+SyD0ISGkCnsISuksKLmdHL724o8Bd/eTdka9RAlB8+jQTRB0PvarsjRGQCpRQug7kUzbmmRFst1k21BScR16qhVH/oYkSbQVFkHXlig78bAIurbMcl8Hi6BryyZXYp+vDOFQOfxeD5ZX4ogsxLCorRauUVVQQV2FG2GfgoiWwlQkgbmfKXbQtv/0tgb2h3y43nUaAZ/HwNFMAnVqDF5FMnC6gfvPxjExFy/6feLu7uf6JBLBmZZGXGhrgs1mFGgIAUfDGw/J4vIqtJWEYU02l8ejkUkMvv0BESQRcbzhANrPnuCKV5czfj8LJvp1AkKBMrhVp2GdzGJ7Lx7CqSNB7MiA4rSj63wLN8DOIpqrjfMVgXJ2rQg35k5HAzwu2byBk8cOQnU5uAG1fsBhM87LsgSvR+HGBMucONccNm+gvkZcBEMeIQWX0yHkDld7ufPcfamtFOfMr6KIAbuQa6zZgYH/BSFEyNll/nnnzs4taBAhlhJSSGfWhdzkfHwnBpYhNLCGIgay2BUD7z9PILmW4X9oCcjkjPO5PEVsNcmNiaeyePVh1rwB/VUbfv2RG5Bkuzw6Y5yPLsWQzea4MX3PvyEaS5s3oOPL1+/4NDbF5WZiwPSWLK3EU4gn+LkZGZ3Hm7EFiCCsBZuoCvtxtbMNQU4xwnoCNS4NPtX4Ms2zYnTv6bgw96YNbKwqXo4rAwrqw3/L8XQ0gdklc+XYnIE9hMRsRmAVmLZESaFjsUafabM/pdQ6A0yb7QD62FhD6aHp2tLaYM9UHvQWSgzWmvXq2oWHKDXUM6D3aoXGca+FmcbvvnBI//1v/bSgPf8FAAD//1fuWFwAAAAGSURBVAMAr4wdjScgE1gAAAAASUVORK5CYII=',
  'base64',
)
