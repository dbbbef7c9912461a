// Runs the audits of GraphQL over HTTP against GRAPHQL_URL with the bearer token GRAPHQL_TOKEN.
import { serverAudits } from 'graphql-http';

const { GRAPHQL_URL: url, GRAPHQL_TOKEN: token } = process.env;
const audits = serverAudits({
  url,
  fetchFn: (input, init = {}) => fetch(input, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } })
});
let failed = 0;
for (const audit of audits) {
  const result = await audit.fn();
  if (result.status !== 'ok') {
    failed++;
    console.log(`${result.status}: ${result.id} ${result.name}: ${result.reason}`);
  }
}
console.log(`${audits.length - failed} passed, ${failed} failed`);
if (failed || audits.length !== 61) process.exit(1);
