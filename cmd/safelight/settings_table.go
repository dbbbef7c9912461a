package main

// settingsTable is the list of all settings, from which --help, `safelight config` and docs/reference/settings.md are
// generated. It is the only place where flags, environment variables and the defaults of the server are defined.
var settingsTable = []Setting{
	{Name: "listen", Default: "127.0.0.1:8000", Kind: kindAddress, Group: groupServer,
		Help:  "Address to listen on. Port 0 picks a free port.",
		field: func(s *Settings) any { return &s.Listen }},
	{Name: "base-url", Kind: kindURL, Shown: "from the request", Group: groupServer,
		Help: "Public base URL of the server, without a trailing slash. Generated image URLs start with it. " +
			"Its host is the RP ID of passkeys: after a change of the host, people add new ones.",
		field: func(s *Settings) any { return &s.BaseURL }},
	{Name: "data", Default: "./data", Kind: kindPath, Group: groupServer,
		Help:  "Folder for keys and, by default, the database and images. Created if missing.",
		field: func(s *Settings) any { return &s.Data }},
	{Name: "database", Kind: kindDatabase, Shown: "SQLite in the data folder", Secret: true, AlsoEnv: "DATABASE_URL",
		Group: groupServer,
		Help:  "Database for accounts, the index and the audit log.",
		field: func(s *Settings) any { return &s.Database }},
	{Name: "allow-new-database", Default: "false", Kind: kindBool, Group: groupServer,
		Help: "Start with an empty database although this data folder was used with another one. Off: the " +
			"server refuses to start then, because the database may be missing or the setting database may be " +
			"wrong. Set it for one start only.",
		field: func(s *Settings) any { return &s.AllowNewDatabase }},
	{Name: "storage", Kind: kindStorage, Shown: "files under the data folder", Secret: true, Group: groupServer,
		Help: "Storage for images. S3 credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. For " +
			"gs:// and azblob:// see docs/guides/storage.md.",
		field: func(s *Settings) any { return &s.Storage }},
	{Name: "allow-new-storage", Default: "false", Kind: kindBool, Group: groupServer,
		Help: "Start although the storage, or a mount, has none of the files that the index knows; they leave all " +
			"albums. Off: the server refuses to start then, because a file system may not be mounted or the setting " +
			"storage may be wrong. Set it for one start only.",
		field: func(s *Settings) any { return &s.AllowNewStorage }},
	{Name: "storage-mounts", Kind: kindMounts, Shown: "none", Secret: true, Group: groupServer,
		Help: "Other storages, each shown as a folder of the root, docs/guides/mounts.md. Must be the same on " +
			"every server.",
		field: func(s *Settings) any { return &s.Mounts }},
	{Name: "storage-mount-keys", Kind: kindMountKeys, Shown: "those of storage", Secret: true, Group: groupServer,
		Help:  "Access keys of mounts. Mounts without one use the credentials of the environment, as storage does.",
		field: func(s *Settings) any { return &s.MountKeys }},
	{Name: "storage-roots", Kind: kindFolders, Shown: "none: only the files folder of the data folder",
		Group: groupServer,
		Help:  "Folders in which admins may configure file storage through the API, as long as storage is not set.",
		field: func(s *Settings) any { return &s.StoragePolicy.Roots }},
	{Name: "storage-networks", Kind: kindPrefixes, Shown: "none: public addresses only", Group: groupServer,
		Help: "Private networks in which admins may configure an S3 endpoint through the API, as long as " +
			"storage is not set.",
		field: func(s *Settings) any { return &s.StorageNetworks }},
	{Name: "scan-interval", Default: "1h", Kind: kindDuration(0, oneYear), Group: groupServer,
		Help: "Interval between scans that sync the index with changes made outside of Safelight; the first " +
			"scan runs at start. 0: only scans on request. Listings of a local folder are always up to date.",
		field: func(s *Settings) any { return &s.Index.ScanInterval }},
	{Name: "result-cache", Default: "memory,file", Kind: kindCache, Group: groupServer,
		Help: "Result cache: off, or its tiers. They are looked up in the order memory, files, S3. `file` is " +
			"the folder `cache` in the data folder. Only a purge removes results from S3: set a lifecycle " +
			"rule on the bucket.",
		field: func(s *Settings) any { return &s.ResultCache }},
	{Name: "result-cache-memory", Default: "128 MiB", Kind: kindBytes(1<<20, 1<<40), Group: groupServer,
		Help:  "Max size of the result cache in memory.",
		field: func(s *Settings) any { return &s.ResultCacheMemory }},
	{Name: "result-cache-files", Default: "2 GiB", Kind: kindBytes(1<<20, 1<<50), Group: groupServer,
		Help:  "Max size of the result cache in files. The least recently used results are evicted first.",
		field: func(s *Settings) any { return &s.Results.FileBytes }},
	{Name: "result-cache-errors", Default: "1m", Kind: kindDuration(0, oneHour), Group: groupServer,
		Help: "How long errors are cached, for images that cannot be decoded and operations that are rejected. " +
			"0: errors are not cached.",
		field: func(s *Settings) any { return &s.Results.NegativeAge }},
	{Name: "preview-cache", Default: "256 MiB", Kind: kindBytes(0, 1<<40), Group: groupServer,
		Help: "Max size of the preview cache: decoded sources kept in memory for `preview()`, so that the next " +
			"edit skips decoding. 0: off.",
		field: func(s *Settings) any { return &s.Engine.PreviewBytes }},
	{Name: "source-check", Default: "100ms", Kind: kindDuration(0, oneHour), Group: groupServer,
		Help: "How long to serve a cached result without checking whether its source has changed; on S3 each check " +
			"is a round trip. 0: check on every request, so that files which another program replaces show " +
			"immediately. Changes through the API of this process always show immediately.",
		field: func(s *Settings) any { return &s.Gallery.SourceCheck }},
	{Name: "supervise", Default: "false", Kind: kindBool, Group: groupServer,
		Help: "Run the server in a child process, and start it again when it crashes: at once, but at most " +
			"once a second. Signals and the exit code pass through. systemd needs no supervisor. The " +
			"container image turns it on, because container runtimes wait longer before each restart.",
		field: func(s *Settings) any { return &s.Supervise }},
	{Name: "shutdown-delay", Default: "0s", Kind: kindDuration(0, oneHour), Group: groupServer,
		Help: "How long to keep serving after the stop signal while /readyz fails, so that load balancers stop " +
			"sending requests.",
		field: func(s *Settings) any { return &s.Server.ShutdownDelay }},
	{Name: "shutdown-timeout", Default: "30s", Kind: kindDuration(oneMillisecond, oneHour), Group: groupServer,
		Help:  "How long running requests may take to finish after shutdown-delay.",
		field: func(s *Settings) any { return &s.Server.ShutdownTimeout }},
	{Name: "trash", Default: "true", Kind: kindBool, Group: groupServer,
		Help:  "Make deleteFiles and deleteTemplate move items to the trash. Off: they delete permanently.",
		field: func(s *Settings) any { return &s.Gallery.Trash }},
	{Name: "trash-retention", Default: "30d", Kind: kindDuration(0, oneYear), Group: groupServer,
		Help:  "How long items stay in the trash before they are deleted permanently. 0: forever.",
		field: func(s *Settings) any { return &s.Gallery.TrashRetention }},

	{Name: "admin-username", Default: "admin", Kind: kindText, Group: groupAccounts,
		Help: "Username of the first admin, created if there are no accounts. Empty: no admin is created, and " +
			"the address of the setup page, /setup#TOKEN, is printed instead.",
		field: func(s *Settings) any { return &s.AdminName }},
	{Name: "admin-password", Kind: kindText, Shown: "generated, printed once", Secret: true, Group: groupAccounts,
		Help:  "Password of the first admin, at least 12 characters.",
		field: func(s *Settings) any { return &s.AdminPassword }},
	{Name: "token-lifetime", Default: "168h", Kind: kindDuration(oneMinute, oneYear), Group: groupAccounts,
		Help:  "Lifetime of a session token.",
		field: func(s *Settings) any { return &s.Keys.Lifetime }},
	{Name: "token-secret", Kind: kindKey, Shown: "generated, kept in the data folder", Secret: true,
		Group: groupAccounts,
		Help:  "Key that signs session tokens. Must be the same on every server.",
		field: func(s *Settings) any { return &s.Keys.Secret }},
	{Name: "token-secret-previous", Kind: kindKey, Shown: "none", Secret: true, Group: groupAccounts,
		Help: "Key whose session tokens are accepted, too; token-secret signs new ones. To rotate the key: " +
			"docs/guides/security.md.",
		field: func(s *Settings) any { return &s.Keys.Previous }},
	{Name: "guest", Default: "false", Kind: kindBool, Group: groupAccounts,
		Help:  "Allow guest logins: read access without an account.",
		field: func(s *Settings) any { return &s.Accounts.Guest }},
	{Name: "registration", Default: "false", Kind: kindBool, Group: groupAccounts,
		Help:  "Allow anyone to register an account with role user.",
		field: func(s *Settings) any { return &s.Accounts.Registration }},
	{Name: "sign-in-providers", Kind: kindFile, Shown: "none", Group: groupAccounts,
		Help: "File with the OpenID Connect providers through which people sign in, docs/guides/sign-in.md. " +
			"Needs base-url. Must be the same on every server.",
		field: func(s *Settings) any { return &s.SigninProviders }},
	{Name: "password-login", Default: "true", Kind: kindBool, Group: groupAccounts,
		Help: "Accept passwords. Off: people sign in through providers only. If those do not work, an admin " +
			"gets in with a password of `safelight user emergency-password`.",
		field: func(s *Settings) any { return &s.PasswordLogin }},
	{Name: "smtp", Kind: kindSMTP, Shown: "none: no e-mail", Group: groupAccounts,
		Help: "Mail server for invitations, password resets and share links, docs/guides/mail.md. Needs mail-from and " +
			"base-url. smtp:// requires STARTTLS, except on this machine or with ?tls=off. Must be the same on every " +
			"server.",
		field: func(s *Settings) any { return &s.Mail.Server }},
	{Name: "smtp-password", Kind: kindText, Shown: "none", Secret: true, Group: groupAccounts,
		Help:  "Password of the user in smtp.",
		field: func(s *Settings) any { return &s.Mail.Password }},
	{Name: "mail-from", Kind: kindSender, Shown: "none", Group: groupAccounts,
		Help:  "Sender of all e-mail.",
		field: func(s *Settings) any { return &s.Mail.From }},
	{Name: "docs", Default: "users", Kind: kindWord("users", "public", "off"), Group: groupAccounts,
		Help: "Who may read the documentation at /docs. users: everyone who is logged in, guests included. " +
			"public: everyone, but only accounts with scope write may change its examples. off: nobody.",
		field: func(s *Settings) any { return &s.Server.Docs }},
	{Name: "unsafe", Default: "false", Kind: kindBool, Group: groupAccounts,
		Help:  "Accept unsigned image URLs from anyone. Off: they require a token with write scope.",
		field: func(s *Settings) any { return &s.Server.Unsafe }},
	{Name: "audit-retention", Default: "0", Shown: "forever", Kind: kindRetention, Group: groupAccounts,
		Help:  "How long to keep audit log entries. 0: forever.",
		field: func(s *Settings) any { return &s.AuditRetention }},

	{Name: "processor-secret", Kind: kindSecret, Shown: "generated, kept in the database", Secret: true,
		Group: groupImages,
		Help: "Secret that signs image URLs, instead of the one in the database. Any length is accepted, so " +
			"that existing URLs keep working; below 32 bytes a warning is logged.",
		field: func(s *Settings) any { return &s.Signer.Secret }},
	{Name: "processor-secret-previous", Kind: kindSecret, Shown: "none", Secret: true, Group: groupImages,
		Help: "Secret whose image URLs are accepted, too, with the same signer-type and signer-truncate; " +
			"processor-secret signs new ones. To rotate the secret: docs/guides/security.md.",
		field: func(s *Settings) any { return &s.PreviousSecret }},
	{Name: "signer-type", Default: "sha1", Kind: kindSigner, Group: groupImages,
		Help:  "Algorithm of image URL signatures. Used only with processor-secret.",
		field: func(s *Settings) any { return &s.Signer.Type }},
	{Name: "signer-truncate", Default: "0", Kind: kindTruncate, Group: groupImages,
		Help:  "Number of characters to truncate image URL signatures to. Used only with processor-secret.",
		field: func(s *Settings) any { return &s.Signer.Truncate }},
	{Name: "encryption-keys", Kind: kindEncryptionKeys, Shown: "none: image paths are not encrypted", Secret: true,
		Group: groupImages,
		Help:  "Keys that encrypt the paths of images in URLs. The first one encrypts, and all of them decrypt.",
		field: func(s *Settings) any { return &s.EncryptionKeys }},
	{Name: "presets", Kind: kindFile, Shown: "none", Group: groupImages,
		Help:  "JSON file with presets, in addition to those of the database, docs/guides/presets.md.",
		field: func(s *Settings) any { return &s.PresetsFile }},
	{Name: "presets-only", Default: "false", Kind: kindBool, Group: groupImages,
		Help: "Reject image URLs that use anything but presets, whether they are signed or not. The " +
			"application keeps working: its own URLs expire within two days.",
		field: func(s *Settings) any { return &s.PresetsOnly }},
	{Name: "auto-format", Default: "false", Kind: kindBool, Group: groupImages,
		Help: "Choose AVIF, WebP or JPEG XL from the Accept header, and JPEG, PNG or GIF for browsers that do " +
			"not show the source's format.",
		field: func(s *Settings) any { return &s.Server.AutoFormat }},
	{Name: "scaling", Default: "gamma", Kind: kindScaling, Group: groupImages,
		Help: "Whether pictures are scaled by their gamma-encoded values, as other servers do, or in linear light, " +
			"which keeps the brightness of fine bright details and takes up to a tenth more CPU for a photo. " +
			"scaling() in a URL takes precedence.",
		field: func(s *Settings) any { return &s.Limits.Linear }},
	{Name: "speed", Default: "balanced", Kind: kindSpeed, Group: groupImages,
		Help: "How the WebP, AVIF and PNG encoders weigh time against bytes, unless the URL has speed(). best " +
			"also scales in linear light, unless scaling is set. avif-speed and webp-effort take precedence if " +
			"they are not the default.",
		field: func(s *Settings) any { return &s.Speed }},
	{Name: "avif-speed", Default: "8", Kind: kindInt(0, 8), Group: groupImages,
		Help:  "Speed of the AVIF encoder. Each step down takes more time and saves a few percent of bytes.",
		field: func(s *Settings) any { return &s.AVIFSpeed }},
	{Name: "webp-effort", Default: "4", Kind: kindInt(1, 6), Group: groupImages,
		Help:  "Effort of the WebP encoder. Each step up takes more time and saves a few percent of bytes.",
		field: func(s *Settings) any { return &s.WebPEffort }},
	{Name: "keep-metadata", Default: "false", Kind: kindBool, Group: groupImages,
		Help: "Keep EXIF, IPTC and XMP in results, as keep_metadata() does. GPS position, serial numbers, " +
			"thumbnails and maker notes are always removed.",
		field: func(s *Settings) any { return &s.Limits.KeepMetadata }},
	{Name: "strict", Default: "false", Kind: kindBool, Group: groupImages,
		Help:  "Reject unknown filters and invalid arguments with 400 instead of a warning.",
		field: func(s *Settings) any { return &s.Limits.Strict }},
	{Name: "pdf", Default: "false", Kind: kindBool, Group: groupImages,
		Help: "Accept PDF files as images, if libvips supports them. PDF parsers are a common attack target: " +
			"turn this on only if you need it.",
		field: func(s *Settings) any { return &s.Limits.AllowPDF }},
	{Name: "remote-sources", Kind: kindHosts, Shown: "none: remote images are off", Group: groupImages,
		Help: "Hosts from which remote images may be loaded, on ports 80 and 443 unless a port is given. " +
			"Public addresses only.",
		field: func(s *Settings) any { return &s.Remote.Hosts }},
	{Name: "remote-networks", Kind: kindPrefixes, Shown: "none: public addresses only", Group: groupImages,
		Help:  "Private networks from which remote images may be loaded.",
		field: func(s *Settings) any { return &s.Remote.AllowPrivate }},

	{Name: "webhook-networks", Kind: kindPrefixes, Shown: "none: public addresses only", Group: groupHTTP,
		Help:  "Private networks to which webhooks may send events.",
		field: func(s *Settings) any { return &s.Webhooks.AllowPrivate }},
	{Name: "webhook-timeout", Default: "10s", Kind: kindDuration(oneMillisecond, oneMinute), Group: groupHTTP,
		Help:  "How long the receiver of a webhook may take to respond.",
		field: func(s *Settings) any { return &s.Webhooks.Timeout }},
	{Name: "webhook-retry-for", Default: "72h", Kind: kindDuration(oneMinute, oneYear), Group: groupHTTP,
		Help: "How long an event is sent again to a webhook that does not accept it. After that, admins can send it " +
			"again.",
		field: func(s *Settings) any { return &s.Webhooks.RetryFor }},

	{Name: "max-age", Default: "7d", Kind: kindDuration(0, oneYear), Group: groupHTTP,
		Help: "Cache-Control max-age of images, unless max_age() or expire() override it. 0: caches revalidate " +
			"each time.",
		field: func(s *Settings) any { return &s.Server.MaxAge }},
	{Name: "stale-while-revalidate", Default: "0s", Shown: "0: never", Kind: kindDuration(0, oneYear),
		Group: groupHTTP,
		Help: "Cache-Control stale-while-revalidate: how long caches may serve a stale image while they " +
			"revalidate it.",
		field: func(s *Settings) any { return &s.Server.StaleWhileRevalidate }},
	{Name: "client-hints", Default: "false", Kind: kindBool, Group: groupHTTP,
		Help: "Apply the client hints DPR and Width to sizes, and Save-Data to the quality. Hints are not " +
			"signed, so a URL can have many variants.",
		field: func(s *Settings) any { return &s.Server.ClientHints }},
	{Name: "write-timeout", Default: "30s", Kind: kindDuration(oneMillisecond, oneHour), Group: groupHTTP,
		Help: "How long a client may take to accept 16 KiB of a response before its connection is closed. The " +
			"total time of a download is not limited.",
		field: func(s *Settings) any { return &s.Server.WriteTimeout }},
	{Name: "graphql-public-schema", Default: "false", Kind: kindBool, Group: groupHTTP,
		Help: "Allow /schema.graphql and GraphQL introspection without a token, for code generators. Other " +
			"fields still need one.",
		field: func(s *Settings) any { return &s.Server.PublicSchema }},
	{Name: "graphql-batch", Default: "10", Kind: kindInt(0, 100), Group: groupHTTP,
		Help:  "Max operations in one GraphQL request, as Apollo's BatchHttpLink sends them. 0: batches are rejected.",
		field: func(s *Settings) any { return &s.Server.GraphQLBatch }},
	{Name: "graphql-persisted", Default: "1000", Kind: kindInt(0, 1000000), Group: groupHTTP,
		Help: "Max automatic persisted queries (Apollo's APQ) that a server keeps, at most 16 MiB of them. The " +
			"least recently used are evicted first. 0: off.",
		field: func(s *Settings) any { return &s.GraphQL.Persisted }},
	{Name: "subscriptions", Default: "20", Kind: kindInt(1, 2000), Group: groupHTTP,
		Help:  "Max open GraphQL subscriptions per account. For guests it counts per address.",
		field: func(s *Settings) any { return &s.Server.Subscriptions }},
	{Name: "cors-origins", Kind: kindOrigins, Shown: "none", Group: groupHTTP,
		Help:  "CORS origins whose scripts may read responses. Pages need none to show images.",
		field: func(s *Settings) any { return &s.Server.Origins }},
	{Name: "frame-ancestors", Kind: kindEmbedders, Shown: "none", Group: groupHTTP,
		Help: "Origins whose pages may show the application in a frame and receive what is picked or edited " +
			"there, docs/guides/embedding.md.",
		field: func(s *Settings) any { return &s.Server.Embedders }},
	{Name: "map-tiles", Kind: kindTiles, Shown: "none: outlines only", Group: groupHTTP,
		Help: "Tiles for the map of the application, 256 pixels wide. The browser of anyone who opens the map " +
			"requests them, so the provider learns which regions people look at.",
		field: func(s *Settings) any { return &s.MapTiles }},
	{Name: "map-attribution", Kind: kindText, Shown: "none", Group: groupHTTP,
		Help: "Attribution that the map shows for its tiles, as their provider requires: `© OpenStreetMap " +
			"contributors`.",
		field: func(s *Settings) any { return &s.MapAttribution }},
	{Name: "rate-limit", Default: "0", Shown: "0: no limit", Kind: kindInt(0, 1000000), Group: groupHTTP,
		Help: "Max requests per minute per client address (IPv6: /64) to the API and to unsigned image URLs; " +
			"further requests get 429. Behind a proxy, set trusted-proxies first.",
		field: func(s *Settings) any { return &s.Server.RateLimit }},
	{Name: "connections", Default: "0", Shown: "an eighth of memory-limit, at 64 KiB each", Kind: kindInt(0, 1000000),
		Group: groupHTTP,
		Help: "Max open connections. At the limit, a new connection replaces the one that has been idle for " +
			"longest, or gets 503 if none is idle. 0: automatic, at most half of the file descriptors of the " +
			"process.",
		field: func(s *Settings) any { return &s.Server.Connections }},
	{Name: "connections-per-client", Default: "0", Shown: "a quarter of connections", Kind: kindInt(0, 1000000),
		Group: groupHTTP,
		Help: "Max open connections per client address (IPv6: /64); at the limit as with connections. Does not " +
			"apply to trusted-proxies and to this machine, whose connections are those of many clients.",
		field: func(s *Settings) any { return &s.Server.ConnectionsPerClient }},
	{Name: "trusted-proxies", Kind: kindPrefixes, Shown: "none: X-Forwarded-For is ignored", Group: groupHTTP,
		Help: "Networks of trusted proxies and CDNs. The client address is the rightmost entry of " +
			"X-Forwarded-For that is not in them.",
		field: func(s *Settings) any { return &s.Server.TrustedProxies }},
	{Name: "metrics-token", Kind: kindSecret, Shown: "none", Secret: true, Group: groupHTTP,
		Help: "Token that /metrics requires, as Authorization: Bearer TOKEN. With a token and without " +
			"metrics-allow, any address may read the metrics.",
		field: func(s *Settings) any { return &s.Server.MetricsToken }},
	{Name: "metrics-allow", Kind: kindPrefixes, Shown: "this machine and private networks, without metrics-token",
		Group: groupHTTP,
		Help: "Networks that may read /metrics. Requests that arrive through a proxy outside of " +
			"trusted-proxies are refused. 0.0.0.0/0,::/0: everyone.",
		field: func(s *Settings) any { return &s.Server.MetricsAllow }},

	{Name: "graphql-max-values", Default: "100000", Kind: kindInt(1000, 1e9), Group: groupLimits,
		Help: "Max values that the response to one GraphQL operation can have: the fields of objects, and " +
			"those in a list times its size. An operation that can exceed it is rejected before it runs.",
		field: func(s *Settings) any { return &s.GraphQL.MaxValues }},
	{Name: "graphql-max-bytes", Default: "8 MiB", Kind: kindBytes(64<<10, 1<<30), Group: groupLimits,
		Help: "Max size of the response to one GraphQL operation, or of one event of a subscription. An " +
			"operation that exceeds it is stopped.",
		field: func(s *Settings) any { return &s.GraphQL.MaxBytes }},
	{Name: "archives", Default: "8", Kind: kindInt(1, 1000), Group: groupLimits,
		Help:  "Max ZIP archives that are downloaded at once. One account can use a quarter of them.",
		field: func(s *Settings) any { return &s.Server.Archives }},
	{Name: "archive-max-files", Default: "10000", Kind: kindInt(1, 1000000), Group: groupLimits,
		Help:  "Max files in one ZIP archive.",
		field: func(s *Settings) any { return &s.Archives.MaxFiles }},
	{Name: "archive-max-bytes", Default: "10 GiB", Kind: kindBytes(1, 1<<50), Group: groupLimits,
		Help:  "Max total size of the files in one ZIP archive.",
		field: func(s *Settings) any { return &s.Archives.MaxBytes }},

	{Name: "max-source-pixels", Default: "100000000", Kind: kindInt(1, 1e12), Group: groupLimits,
		Help:  "Max pixels of a source: width x height x frames.",
		field: func(s *Settings) any { return &s.Limits.MaxSourcePixels }},
	{Name: "max-source-bytes", Default: "100 MiB", Kind: kindBytes(1, 1<<40), Group: groupLimits,
		Help:  "Max size of a source file or upload.",
		field: func(s *Settings) any { return &s.Limits.MaxSourceBytes }},
	{Name: "upload-ttl", Default: "24h", Kind: kindDuration(oneMinute, oneYear), Group: groupLimits,
		Help:  "How long a resumable upload may be idle before it expires.",
		field: func(s *Settings) any { return &s.Uploads.TTL }},
	{Name: "max-open-uploads", Default: "100", Kind: kindInt(0, 1000000), Group: groupLimits,
		Help: "Max unfinished resumable uploads per account. The visitors of a share link have as many together, besides " +
			"those of its owner. 0: no limit.",
		field: func(s *Settings) any { return &s.Uploads.MaxOpen }},
	{Name: "max-open-bytes", Default: "10 GiB", Kind: kindBytes(0, 1<<50), Group: groupLimits,
		Help: "Max total size of the files in the unfinished uploads of one account, and of the visitors of one share link. " +
			"0: no limit.",
		field: func(s *Settings) any { return &s.Uploads.MaxOpenBytes }},
	{Name: "max-open-uploads-total", Default: "1000", Kind: kindInt(0, 1000000), Group: groupLimits,
		Help:  "Max unfinished resumable uploads of all accounts and share links together. 0: no limit.",
		field: func(s *Settings) any { return &s.Uploads.MaxOpenTotal }},
	{Name: "max-open-bytes-total", Default: "100 GiB", Kind: kindBytes(0, 1<<50), Group: groupLimits,
		Help:  "Max total size of the files in all unfinished uploads. 0: no limit.",
		field: func(s *Settings) any { return &s.Uploads.MaxOpenTotalBytes }},
	{Name: "max-stored-files", Default: "0", Shown: "0: no limit", Kind: kindInt(0, 1e12), Group: groupLimits,
		Help: "Max files per account: those that it uploaded, copied or saved, trash included. Uploads and " +
			"copies that would exceed it are rejected.",
		field: func(s *Settings) any { return &s.Gallery.Stored.Files }},
	{Name: "max-stored-bytes", Default: "0", Shown: "0: no limit", Kind: kindBytes(0, 1<<60), Group: groupLimits,
		Help: "Max total size of the files of an account, counted like max-stored-files. Uploads and copies " +
			"that would exceed it are rejected.",
		field: func(s *Settings) any { return &s.Gallery.Stored.Bytes }},
	{Name: "max-stored-files-total", Default: "0", Shown: "0: no limit", Kind: kindInt(0, 1e12), Group: groupLimits,
		Help:  "Max files in the storage, trash included. Uploads and copies that would exceed it are rejected.",
		field: func(s *Settings) any { return &s.Gallery.Stored.TotalFiles }},
	{Name: "max-stored-bytes-total", Default: "0", Shown: "0: no limit", Kind: kindBytes(0, 1<<60),
		Group: groupLimits,
		Help: "Max total size of the files in the storage, trash included. Uploads and copies that would exceed" +
			" it are rejected.",
		field: func(s *Settings) any { return &s.Gallery.Stored.TotalBytes }},
	{Name: "max-result-side", Default: "16383", Kind: kindInt(1, 65535), Group: groupLimits,
		Help:  "Max width and height of a result in pixels.",
		field: func(s *Settings) any { return &s.Limits.MaxResultSide }},
	{Name: "max-result-pixels", Default: "50000000", Kind: kindInt(1, 1e12), Group: groupLimits,
		Help:  "Max pixels of a result: width x height.",
		field: func(s *Settings) any { return &s.Limits.MaxResultPixels }},
	{Name: "max-frames", Default: "1000", Kind: kindInt(1, 100000), Group: groupLimits,
		Help:  "Max frames of an animation.",
		field: func(s *Settings) any { return &s.Limits.MaxFrames }},
	{Name: "max-layers", Default: "32", Kind: kindInt(1, 1000), Group: groupLimits,
		Help:  "Max layers of one image. Layers nest at most 8 deep.",
		field: func(s *Settings) any { return &s.Limits.MaxLayers }},
	{Name: "process-timeout", Default: "20s", Kind: kindDuration(oneMillisecond, oneHour), Group: groupLimits,
		Help:  "Timeout for processing one image.",
		field: func(s *Settings) any { return &s.Limits.Timeout }},
	{Name: "load-timeout", Default: "10s", Kind: kindDuration(oneMillisecond, oneHour), Group: groupLimits,
		Help:  "Timeout for loading a source.",
		field: func(s *Settings) any { return &s.Server.LoadTimeout }},
	{Name: "workers", Default: "0", Shown: "one per core", Kind: kindInt(0, 1024), Group: groupLimits,
		Help:  "Max images processed concurrently. 0: one per core.",
		field: func(s *Settings) any { return &s.Server.Workers }},
	{Name: "queue", Default: "1000", Kind: kindInt(1, 1000000), Group: groupLimits,
		Help: "Max length of the queue. When it is full, the client with the most work in it gets 503. This is " +
			"a backstop: queue-timeout and memory-limit usually apply first.",
		field: func(s *Settings) any { return &s.Server.Queue }},
	{Name: "queue-timeout", Default: "2s", Kind: kindDuration(oneMillisecond, oneHour), Group: groupLimits,
		Help: "Max wait in the queue. A request that would wait longer is rejected immediately with 503 and " +
			"Retry-After. Raise it if pages ask for many slow pictures at once over HTTP/2.",
		field: func(s *Settings) any { return &s.Server.QueueTimeout }},
	{Name: "memory-limit", Default: "0", Shown: "75 % of the memory of the cgroup or machine", Kind: kindMemory,
		Group: groupLimits,
		Help: "Target for the memory of the server and its workers together. Images in progress and idle " +
			"workers share half of it, by estimate. A single image that needs more is rejected with 413. " +
			"When the workers together hold more than this half (at least 256 MiB), some are stopped. " +
			"Downloaded sources share an eighth; further downloads wait for up to load-timeout. Bodies of " +
			"API requests share a thirty-second; further ones get 503.",
		field: func(s *Settings) any { return &s.MemoryLimit }},
	{Name: "isolation", Default: "all", Kind: kindWord("all", "risky", "off"), Group: groupLimits,
		Help: "Which images are processed in sandboxed worker processes, where a crash or a hang costs one " +
			"request. all: every image. risky: the index, uploads, long filter chains, and all formats but " +
			"JPEG, PNG, WebP and GIF. This saves up to 5 % of CPU and some memory, but a flaw in one of " +
			"those four decoders is then a flaw of the server: choose it only if nobody but you can add " +
			"files. off: none, except texts in fonts that admins have added. One hostile file can then stop " +
			"the server, and one hostile SVG can keep a core busy until the server is restarted.",
		field: func(s *Settings) any { return &s.Isolation }},
	{Name: "worker-memory", Default: "512 MiB", Kind: kindBytes(128<<20, 1<<40), Group: groupLimits,
		Help: "Max memory of one worker process (isolation). A worker that needs more is stopped, and its " +
			"request gets 413.",
		field: func(s *Settings) any { return &s.Workers.MemoryLimit }},

	{Name: "log-level", Default: "info", Kind: kindWord("debug", "info", "warn", "error"), Group: groupLog,
		Help:  "Minimum level of log lines. The log is written to stderr.",
		field: func(s *Settings) any { return &s.LogLevel }},
	{Name: "log-format", Kind: kindWord("text", "json"), Shown: "text on a terminal, json elsewhere",
		Group: groupLog,
		Help:  "Log format.",
		field: func(s *Settings) any { return &s.LogFormat }},
	{Name: "trace-endpoint", Kind: kindURL, Shown: "none: no traces", AlsoEnv: "OTEL_EXPORTER_OTLP_ENDPOINT",
		Group: groupLog,
		Help:  "OpenTelemetry collector for traces (OTLP over HTTP), such as http://127.0.0.1:4318.",
		field: func(s *Settings) any { return &s.TraceEndpoint }},
	{Name: "trace-percent", Default: "100", Kind: kindInt(0, 100), Group: groupLog,
		Help:  "Percentage of requests to trace, in addition to those whose traceparent header requests it.",
		field: func(s *Settings) any { return &s.TracePercent }},
}

// findSetting returns the row of that name.
func findSetting(name string) (Setting, bool) {
	for _, s := range settingsTable {
		if s.Name == name {
			return s, true
		}
	}
	return Setting{}, false
}
