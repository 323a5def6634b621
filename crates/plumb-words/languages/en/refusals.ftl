### What was wanted of an engine and could not be had, in the record and on the page.

refused-o-direct = O_DIRECT: { $reason }
refused-by-kernel = { $feature }: refused by this kernel ({ $error })
refused-with-error = { $feature }: { $error }
refused-multichannel = multichannel: { $reason }; each worker has a session of its own
refused-multichannel-not-offered = multichannel: the server does not offer it; each worker has a session of its own
refused-multichannel-of-worker = multichannel: { $reason }; this worker has a session of its own
refused-depth-by-server = depth { $depth }: the server grants { $slots } requests at a time, the rest waits
refused-depth-by-provider = depth { $depth }: the provider takes { $outstanding } operations at once, the others wait in plumb
