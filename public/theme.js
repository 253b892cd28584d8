// Before the first paint, so that a chosen theme never flashes the other one.
try {
  const theme = localStorage.getItem('s3:theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // No storage: the system's theme.
}
