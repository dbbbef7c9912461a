// The playground: a login form or a token, and GraphiQL behind it. The token is kept for this tab only.
(function () {
  'use strict';
  const store = window.sessionStorage;
  const key = 'safelight-token';
  const field = document.getElementById('token');
  const state = document.getElementById('state');
  const login = document.getElementById('login');
  const paste = document.getElementById('paste');
  const logout = document.getElementById('logout');
  const place = document.getElementById('graphiql');
  let root;

  const welcome = [
    '# Log in above (or paste a token), then press the play button.',
    'query Welcome {',
    '  me { username role }',
    '  storageStatus { kind place reachable }',
    '  folders { nodes { path } }',
    '  files(first: 10) {',
    '    totalCount',
    '    nodes { path size thumbnailUrls { grid meta } }',
    '  }',
    '}',
    ''
  ].join('\n');

  function headers() {
    const token = field.value.trim();
    return token ? { Authorization: 'Bearer ' + token } : {};
  }

  // GraphiQL fetches the schema when it is made: it is made anew for each token, and not without one.
  function show() {
    if (root) root.unmount();
    root = null;
    const hasToken = Boolean(field.value.trim());
    login.hidden = paste.hidden = hasToken;
    logout.hidden = !hasToken;
    if (!hasToken) {
      const hint = document.createElement('p');
      hint.textContent = 'Log in to load the schema.';
      place.replaceChildren(hint);
      return;
    }
    place.replaceChildren();
    root = ReactDOM.createRoot(place);
    root.render(React.createElement(GraphiQL, {
      key: field.value,
      fetcher: GraphiQL.createFetcher({
        url: '/api/graphql',
        fetch: function (url, options) {
          options.headers = Object.assign({}, options.headers, headers());
          return fetch(url, options);
        }
      }),
      defaultQuery: welcome,
      isHeadersEditorEnabled: false
    }));
  }

  // The session of the application in this browser, so that who is logged in there need not log in here.
  function session() {
    try {
      const kept = JSON.parse(window.localStorage.getItem('safelight.session'));
      return kept && kept.expiresAt > Date.now() ? kept.token : '';
    } catch {
      return '';
    }
  }

  async function who() {
    if (!field.value.trim()) {
      state.textContent = 'not logged in';
      return;
    }
    const answer = await fetch('/api/auth/me', { headers: headers() });
    const body = await answer.json();
    if (!answer.ok) {
      await use('');
      state.textContent = body.message;
      return;
    }
    state.textContent = body.user.username + ' (' + body.scopes.join(', ') + ')';
  }

  async function use(token) {
    field.value = token;
    if (token) store.setItem(key, token);
    else store.removeItem(key);
    await who();
    show();
  }

  logout.addEventListener('click', async function () {
    await fetch('/api/auth/logout', { method: 'POST', headers: headers() });
    use('');
  });

  login.addEventListener('submit', async function (event) {
    event.preventDefault();
    const form = event.target;
    const answer = await fetch('/api/auth/login', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: form.username.value, password: form.password.value })
    });
    const body = await answer.json();
    if (!answer.ok) {
      state.textContent = body.message;
      return;
    }
    form.password.value = '';
    use(body.token);
  });
  field.addEventListener('change', function () { use(field.value.trim()); });
  use(store.getItem(key) || session());
})();
