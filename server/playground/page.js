// The playground: a login form or a token, and GraphiQL behind it. The token is kept for this tab only.
(function () {
  'use strict';
  const store = window.sessionStorage;
  const key = 'safelight-token';
  const field = document.getElementById('token');
  const state = document.getElementById('state');
  let root;

  const welcome = [
    '# Log in above (or paste a token), then press the play button.',
    'query Welcome {',
    '  me { username role }',
    '  storageStatus { type place reachable }',
    '  listFiles(path: "", limit: 10) {',
    '    totalCount',
    '    items { name isDirectory size thumbnailUrls { grid meta } }',
    '  }',
    '}',
    ''
  ].join('\n');

  function headers() {
    const token = field.value.trim();
    return token ? { Authorization: 'Bearer ' + token } : {};
  }

  // GraphiQL fetches the schema when it is made, so it is made anew for each token.
  function show() {
    if (root) root.unmount();
    root = ReactDOM.createRoot(document.getElementById('graphiql'));
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

  async function who() {
    if (!field.value.trim()) {
      state.textContent = 'not logged in';
      return;
    }
    const answer = await fetch('/api/auth/me', { headers: headers() });
    const body = await answer.json();
    state.textContent = answer.ok ? body.user.username + ' (' + body.scopes.join(', ') + ')' : body.message;
  }

  function use(token) {
    field.value = token;
    store.setItem(key, token);
    who();
    show();
  }

  document.getElementById('login').addEventListener('submit', async function (event) {
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
  use(store.getItem(key) || '');
})();
