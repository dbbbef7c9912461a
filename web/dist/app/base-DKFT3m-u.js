const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["app/Tray-DCmW6ADs.js","app/svelte-BHrW82HM.js","app/icons-DWaL0AwP.js","app/Tray-hDriS0Wu.css","app/Admin-BiCDlSfE.js","app/actions-zIHMtrwg.js","app/Dialog-N5I-uhUE.js","app/scroll-lock-FStSKf6_.js","app/Dialog-CtJLdqMQ.css","app/Field-BC-QIeKo.js","app/Field-_qwH4VwC.css","app/Menu-D_gT9hF-.js","app/Menu-CX7M6Jmw.css","app/Tokens-CmVmLSDT.js","app/Tokens-DuWfycd6.css","app/Admin-rYrb6GP4.css","app/Gallery-1pG4P3cm.js","app/ViewControls-Ckt6rChP.js","app/Slider-CxQrYtaB.js","app/Slider-w7j-WkeU.css","app/pages.svelte-C5kCtuik.js","app/ViewControls-D0Qn50z8.css","app/Gallery-Ccnm2kPX.css","app/Login-D7sskr7_.js","app/failure-NKG8SO8E.js","app/Gate-DHDcKBGK.js","app/Gate-BZbTBwxa.css","app/Setup-BKxl09wv.js","app/Search-X-nJFmEb.js","app/Search-_GfEbZ_i.css","app/Viewer-D2xbgInu.js","app/documents-DXZ2nYME.js","app/Viewer-BJP-WIHZ.css","app/Editor-DiCNWh_u.js","app/layers-CPoGdXa4.js","app/names-C7GFkIEG.js","app/server-QZpPZAcU.js","app/documents-BhUG2Jt7.js","app/Editor-DDEfmq4Z.css","app/Templates-CCZeZYhc.js","app/library-j1f7RsXY.js","app/Templates-Cq4nIgp2.css","app/Trash-DhDJl6yZ.js","app/Trash-DoIvAubA.css","app/Me-DO-eh_9j.js","app/Me-E6x1Qd0q.css","app/Palette-DTlXZ-PF.js","app/Palette-D-Rp-0HB.css","app/Shortcuts-LFodMbEE.js","app/Shortcuts-Bj_SiK8T.css"])))=>i.map(i=>d[i]);
import{$ as e,A as t,C as n,Ct as r,Dt as i,Et as a,F as o,G as s,H as c,I as l,J as u,K as d,M as f,Ot as p,R as m,U as h,V as g,W as _,Y as v,_ as y,at as b,dt as x,ft as S,g as C,gt as w,h as T,ht as E,j as D,k as O,l as k,lt as ee,mt as A,n as te,o as j,ot as M,pt as N,q as P,s as ne,t as re,ut as F,v as ie,vt as I,w as L,wt as R,y as ae}from"./svelte-BHrW82HM.js";var oe=(function(){let e=typeof document<`u`&&document.createElement(`link`).relList;return e&&e.supports&&e.supports(`modulepreload`)?`modulepreload`:`preload`})(),se=function(e){return`/`+e},ce={},le=function(e){return e.pathname.endsWith(`.css`)},ue=function(e,t,n){if(t in e)return e[t];let r=n();if(!r){e[t]=void 0;return}let i=r.then(()=>{e[t]=void 0},n=>{throw e[t]=void 0,n});return e[t]=i,i},z=function(e,t,n){let r=Promise.resolve();if(t&&t.length>0){let e,i=document.querySelector(`meta[property=csp-nonce]`),a=i?.nonce||i?.getAttribute(`nonce`);function o(e){return Promise.all(e.map(e=>Promise.resolve(e).then(e=>({status:`fulfilled`,value:e}),e=>({status:`rejected`,reason:e}))))}function s(e){return import.meta.resolve?new URL(import.meta.resolve(e)):new URL(e,import.meta.url)}r=o(t.map(t=>{t=se(t,n);let r=s(t),i=le(r);return ue(ce,r.href,()=>{if(e===void 0){e={all:new Set,styles:new Set};let t=document.getElementsByTagName(`link`);for(let n=t.length-1;n>=0;n--){let r=t[n];e.all.add(r.href),r.rel===`stylesheet`&&e.styles.add(r.href)}}if((i?e.styles:e.all).has(r.href))return;let t=document.createElement(`link`);if(t.rel=i?`stylesheet`:oe,i||(t.as=`script`),t.crossOrigin=``,t.href=r.href,a&&t.setAttribute(`nonce`,a),document.head.appendChild(t),i)return new Promise((e,n)=>{let i=a=>{t.removeEventListener(`load`,i),t.removeEventListener(`error`,i),a.type===`error`?n(Error(`Unable to preload CSS for ${r}`)):e(a)};t.addEventListener(`load`,i),t.addEventListener(`error`,i)})})}).filter(e=>e!==void 0))}function i(e){let t=new Event(`vite:preloadError`,{cancelable:!0});if(t.payload=e,window.dispatchEvent(t),!t.defaultPrevented)throw e}return r.then(t=>{for(let e of t||[])e.status===`rejected`&&i(e.reason);return e().catch(i)})},de={en:`English`,de:`Deutsch`,fr:`Français`,es:`Español`,"pt-BR":`Português (Brasil)`,ja:`日本語`,zh:`简体中文`},fe=`safelight.language`,pe=Object.assign({"./de.json":()=>z(()=>import(`./de-mixHdh-I.js`).then(e=>e.default),[]),"./en.json":()=>z(()=>import(`./en-BcYXBnsM.js`).then(e=>e.default),[]),"./es.json":()=>z(()=>import(`./es-D3N7ZF4S.js`).then(e=>e.default),[]),"./fr.json":()=>z(()=>import(`./fr-C6W7mt4n.js`).then(e=>e.default),[]),"./ja.json":()=>z(()=>import(`./ja-DTESE-nB.js`).then(e=>e.default),[]),"./pt-BR.json":()=>z(()=>import(`./pt-BR-kM48OeZK.js`).then(e=>e.default),[]),"./zh.json":()=>z(()=>import(`./zh-DiDmkM_1.js`).then(e=>e.default),[])}),B=new class{#e=w({});#t=w(`en`);#n=new Intl.PluralRules(`en`);get current(){return e(this.#t)}async use(e,t=!1){E(this.#e,await pe[`./${e}.json`]()),E(this.#t,e,!0),this.#n=new Intl.PluralRules(e),document.documentElement.lang=e,t&&localStorage.setItem(fe,e)}text(t,n){let r=e(this.#e)[t];return r===void 0?t:me(typeof r==`string`?r:r[this.#n.select(Number(n.n))]??r.other??t,n,e(this.#t))}};function V(e,t={}){return B.text(e,t)}function me(e,t,n){return e.replace(/\{(\w+)\}/g,(e,r)=>{let i=t[r];return i===void 0?e:typeof i==`number`?new Intl.NumberFormat(n).format(i):i})}function he(e=localStorage.getItem(fe),t=navigator.languages){if(e&&e in de)return e;for(let e of t){let t=e.toLowerCase().split(`-`)[0],n=Object.keys(de).find(n=>n.toLowerCase()===e.toLowerCase()||n.toLowerCase().split(`-`)[0]===t);if(n)return n}return`en`}var H=new class{#e=w(A(location.pathname));get path(){return e(this.#e)}set path(e){E(this.#e,e,!0)}#t=w(A(location.hash));get hash(){return e(this.#t)}set hash(e){E(this.#t,e,!0)}query=new re(location.search);read(){this.path=location.pathname,this.hash=location.hash;let e=new URLSearchParams(location.search);for(let t of[...this.query.keys()])e.has(t)||this.query.delete(t);for(let[t,n]of e)this.query.get(t)!==n&&this.query.set(t,n)}},ge=location.href,_e=new Set;function ve(e){return _e.add(e),()=>_e.delete(e)}function U(e,t={}){new URL(e,location.href).pathname!==location.pathname&&[..._e].some(e=>!e())||(history[t.replace?`replaceState`:`pushState`]({inside:!0},``,e),ge=location.href,H.read())}function ye(e){history.state?.inside?history.back():U(e,{replace:!0})}function be(e,t={}){let n=new URLSearchParams(location.search);for(let[t,r]of Object.entries(e))r===null||r===``?n.delete(t):n.set(t,r);let r=n.toString();history[t.push?`pushState`:`replaceState`](history.state,``,location.pathname+(r?`?${r}`:``)+location.hash),ge=location.href,H.read()}function xe(e){let t=t=>{if(t.defaultPrevented||t.button!==0||t.metaKey||t.ctrlKey||t.shiftKey||t.altKey)return;let n=t.target?.closest?.(`a`);n&&!n.target&&!n.hasAttribute(`download`)&&n.origin===location.origin&&e(n.pathname)&&(t.preventDefault(),n.href!==location.href&&U(n.pathname+n.search+n.hash))},n=()=>{let e=location.href;if(location.pathname!==H.path&&[..._e].some(e=>!e()))return history.pushState({inside:!0},``,ge);ge=e,H.read()};return document.addEventListener(`click`,t),addEventListener(`popstate`,n),()=>{document.removeEventListener(`click`,t),removeEventListener(`popstate`,n)}}var W=class extends Error{code;field;retryAfter;constructor(e,t,n,r){super(t),this.code=e,this.field=n,this.retryAfter=r,this.name=`ApiError`}};function Se(e){let[t]=e;if(t)throw new W(t.code,t.message,t.field)}async function G(e,t,n={}){let r=await Ce(`/api/graphql`,JSON.stringify({query:String(e),variables:t}),n),[i]=r.errors??[];if(i)throw new W(i.extensions?.code??`INTERNAL`,i.message,i.extensions?.field);return r.data}async function K(e,t,n={}){return await Ce(e,JSON.stringify(t),{...n,token:n.token??``})}async function Ce(e,t,n){let r=n.token??J.token,i={Accept:`application/json`};t!==void 0&&(i[`Content-Type`]=`application/json`),r&&(i.Authorization=`Bearer ${r}`);let a;try{a=await fetch(e,{method:t===void 0?`GET`:`POST`,headers:i,body:t,signal:n.signal,credentials:`omit`,cache:`no-store`})}catch(e){throw n.signal?.aborted?e:new W(`OFFLINE`,`The server does not answer.`)}if(a.status===204)return;let o=await a.json().catch(e=>{if(n.signal?.aborted)throw e;return{}});if(a.ok)return o;throw we(a,o,r)}function we(e,t,n){let[r]=t.errors??[],i=t.error??r?.extensions?.code??`INTERNAL`;i===`UNAUTHENTICATED`&&n&&J.refused(n);let a=Number(e.headers.get(`Retry-After`))||void 0;return new W(i,t.message??r?.message??e.statusText,t.field??r?.extensions?.field,a)}async function Te(){return await Ce(`/api/auth/options`,void 0,{token:``})}var Ee=.6;function De(e){return Math.min(e.issuedAt+(e.expiresAt-e.issuedAt)*Ee,e.expiresAt-6e4)}var q=`safelight.session`,Oe=2**31-1,ke=class{#e=w(Ae());#t;get token(){return e(this.#e)?.token??``}get user(){return e(this.#e)?.user??null}get mayEdit(){return this.user?.role===`admin`||this.user?.role===`user`}get mayAdminister(){return this.user?.role===`admin`}start(){addEventListener(`storage`,e=>{(e.key===q||e.key===null)&&this.#i(Ae())}),addEventListener(`visibilitychange`,()=>this.#a()),this.#a()}async login(e,t){this.#n(await K(`/api/auth/login`,{username:e,password:t}))}async guest(){this.#n(await K(`/api/auth/guest`,{}))}async register(e){this.#n(await K(`/api/auth/register`,e))}async logout(){let e=this.token;this.forget(),e&&await K(`/api/auth/logout`,{},{token:e}).catch(()=>void 0)}forget(){localStorage.removeItem(q),this.#i(null)}refused(e){let t=Ae();t&&t.token!==e?this.#i(t):this.forget()}rename(t){let n=e(this.#e);n&&this.#r({...n,user:{...n.user,displayName:t}})}#n(e){let t=Date.now();this.#r({token:e.token,issuedAt:t,expiresAt:t+e.expiresIn*1e3,user:e.user})}#r(e){localStorage.setItem(q,JSON.stringify(e)),this.#i(e)}#i(e){E(this.#e,e),this.#a()}#a(){clearTimeout(this.#t);let t=e(this.#e);if(!t)return;let n=Math.max(0,De(t)-Date.now());this.#t=setTimeout(()=>n>Oe?this.#a():void this.#o(),Math.min(n,Oe))}async#o(){let e=async()=>{let e=Ae();if(!e||De(e)>Date.now())return this.#i(e);try{this.#n(await K(`/api/auth/refresh`,{token:e.token}))}catch(t){t instanceof W&&t.code===`UNAUTHENTICATED`?this.refused(e.token):this.#t=setTimeout(()=>void this.#o(),3e4)}};navigator.locks?await navigator.locks.request(q,e):await e()}};function Ae(){try{let e=JSON.parse(localStorage.getItem(q)??`null`);return e&&e.expiresAt>Date.now()?e:null}catch{return null}}var J=new ke,je=`M20 6 9 17l-5-5`,Me=`M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0M12 8L12 12M12 16L12.01 16`,Ne=`M18 6 6 18M6 6l12 12`,Pe=_(`<svg viewBox="0 0 24 24" aria-hidden="true"><path></path></svg>`);function Y(e,t){let n=j(t,`size`,3,18),r=j(t,`fill`,3,!1);var i=Pe();let a;var o=S(i);b(()=>{y(i,`width`,n()),y(i,`height`,n()),a=L(i,0,`svelte-123hemx`,null,a,{fill:r()}),y(o,`d`,t.path)}),g(e,i)}var Fe={done:6e3,note:8e3,error:1e4},X=new class{#e=w(A([]));get list(){return e(this.#e)}set list(e){E(this.#e,e,!0)}#t=1;#n=new Map;show(e,t,n){let r=this.#t++;return this.list=[...this.list.slice(-2),{id:r,kind:e,text:t,action:n}],this.#r(r,e),r}close(e){this.list=this.list.filter(t=>t.id!==e),clearTimeout(this.#n.get(e)),this.#n.delete(e)}hold(){for(let e of this.#n.values())clearTimeout(e)}release(){for(let e of this.list)this.#r(e.id,e.kind)}#r(e,t){clearTimeout(this.#n.get(e)),this.#n.set(e,setTimeout(()=>this.close(e),Fe[t]))}},Ie=h(`<button class="act svelte-d8zspq"> </button>`),Le=h(`<div><!> <span class="grow"> </span> <!> <button class="close svelte-d8zspq"><!></button></div>`),Re=h(`<div class="toasts svelte-d8zspq" role="status" aria-live="polite"></div>`);function ze(t,n){R(n,!0);async function a(e){X.close(e.id),await e.action?.run()}var s=Re();f(s,21,()=>X.list,e=>e.id,(t,n)=>{var r=Le(),s=F(r);{let t=I(()=>e(n).kind===`done`?je:Me);Y(s,{get path(){return e(t)}})}var c=N(s,2),l=S(c,!0),d=N(c,2),f=t=>{var r=Ie(),i=S(r,!0);b(()=>m(i,e(n).action.label)),u(`click`,r,()=>a(e(n))),g(t,r)};o(d,t=>{e(n).action&&t(f)});var p=N(d,2);Y(F(p),{get path(){return Ne},size:16}),i(p),i(r),b(t=>{L(r,1,`toast ${e(n).kind??``}`,`svelte-d8zspq`),m(l,e(n).text),y(p,`aria-label`,t)},[()=>V(`ui.close`)]),u(`click`,p,()=>X.close(e(n).id)),g(t,r)}),i(s),v(`pointerenter`,s,()=>X.hold()),v(`pointerleave`,s,()=>X.release()),u(`focusin`,s,()=>X.hold()),u(`focusout`,s,()=>X.release()),g(t,s),r()}P([`focusin`,`focusout`,`click`]);function Be(e,t){let n=e.split(`/`).slice(1),r=t.replace(/\/+$/,``).split(`/`).slice(1),i={};for(let[e,t]of n.entries()){if(t.startsWith(`*`))return i[t.slice(1)]=r.slice(e).map(He).join(`/`),i;let n=r[e]??``;if(t.startsWith(`:`)){if(!n)return null;i[t.slice(1)]=He(n)}else if(t!==n)return null}return r.length>n.length?null:i}function Ve(e){return e.split(`/`).map(encodeURIComponent).join(`/`)}function He(e){try{return decodeURIComponent(e)}catch{return e}}var Ue=`M9 18l6-6-6-6`,We=`M20 20a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-7.9a2 2 0 0 1-1.69-.9L9.6 3.9A2 2 0 0 0 7.93 3H4a2 2 0 0 0-2 2v13a2 2 0 0 0 2 2Z`,Ge=`M6 14l1.5-2.9A2 2 0 0 1 9.24 10H20a2 2 0 0 1 1.94 2.5l-1.54 6a2 2 0 0 1-1.95 1.5H4a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h3.9a2 2 0 0 1 1.69.9l.81 1.2a2 2 0 0 0 1.67.9H18a2 2 0 0 1 2 2v2`,Z=class extends String{__apiType;value;__meta__;constructor(e,t){super(e),this.value=e,this.__meta__=t}toString(){return this.value}};new Z(`
    fragment Account on User {
  id
  displayName
  username
  role
  isActive
  createdAt
  lastLoginAt
}
    `,{fragmentName:`Account`}),new Z(`
    fragment Tier on CacheTier {
  entries
  bytes
  maxBytes
  hits
  evicted
  damaged
  failed
  paused
}
    `,{fragmentName:`Tier`}),new Z(`
    fragment Tile on File {
  id
  path
  name
  size
  modifiedAt
  takenAt
  type
  metadata
  width
  height
  pages
  dominantColor
  thumbHash
  tags
  focalPoint {
    x
    y
  }
  small: url(operations: {height: 240, filters: [{name: "format", args: "webp"}]})
  medium: url(
    operations: {height: 480, filters: [{name: "format", args: "webp"}]}
  )
  large: url(operations: {height: 960, filters: [{name: "format", args: "webp"}]})
}
    `,{fragmentName:`Tile`}),new Z(`
    fragment Trashed on TrashedFile {
  id
  path
  name
  isDirectory
  size
  fileCount
  trashedAt
  trashedBy
  purgeAt
}
    `,{fragmentName:`Trashed`}),new Z(`
    fragment Viewed on File {
  id
  path
  name
  size
  modifiedAt
  takenAt
  type
  width
  height
  pages
  camera
  dominantColor
  thumbHash
  exif {
    name
    value
  }
  tags
  description
  focalPoint {
    x
    y
  }
  small: url(operations: {width: 480, filters: [{name: "format", args: "webp"}]})
  screens: srcset(
    widths: [960, 1600, 2400, 3600, 5400, 8000]
    operations: {filters: [{name: "format", args: "webp"}]}
  )
  full: url(operations: {filters: [{name: "format", args: "webp"}]})
  original: url(operations: {filters: [{name: "raw"}, {name: "attachment"}]})
}
    `,{fragmentName:`Viewed`}),new Z(`
    query Accounts($offset: Int, $search: String) {
  users(offset: $offset, limit: 50, search: $search) {
    items {
      ...Account
    }
    totalCount
  }
}
    fragment Account on User {
  id
  displayName
  username
  role
  isActive
  createdAt
  lastLoginAt
}`),new Z(`
    mutation MakeAccount($input: CreateUserInput!) {
  createUser(input: $input) {
    id
  }
}
    `),new Z(`
    mutation ChangeAccount($input: UpdateProfileInput!, $userId: ID!) {
  updateProfile(input: $input, userId: $userId) {
    ...Account
  }
}
    fragment Account on User {
  id
  displayName
  username
  role
  isActive
  createdAt
  lastLoginAt
}`),new Z(`
    mutation ResetPassword($input: ChangePasswordInput!, $userId: ID!) {
  changePassword(input: $input, userId: $userId)
}
    `),new Z(`
    mutation DeactivateAccount($userId: ID!) {
  deactivateAccount(userId: $userId)
}
    `),new Z(`
    mutation ReactivateAccount($userId: ID!) {
  reactivateAccount(userId: $userId)
}
    `),new Z(`
    mutation DeleteAccount($userId: ID!) {
  deleteUser(userId: $userId)
}
    `),new Z(`
    mutation EndSessions($userId: ID!) {
  logoutEverywhere(userId: $userId)
}
    `),new Z(`
    query Tokens {
  apiTokens {
    id
    name
    prefix
    scopes
    createdAt
    expiresAt
    lastUsedAt
  }
}
    `),new Z(`
    mutation MakeToken($input: CreateApiTokenInput!) {
  createApiToken(input: $input) {
    secret
  }
}
    `),new Z(`
    mutation RevokeToken($id: ID!) {
  revokeApiToken(id: $id)
}
    `),new Z(`
    query Events($first: Int!, $after: String, $filter: AuditEventFilter) {
  auditEvents(first: $first, after: $after, filter: $filter) {
    nodes {
      id
      at
      actorName
      action
      target
      before
      after
      address
      requestId
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `),new Z(`
    query Signing {
  processorStatus {
    configured
    lastUpdated
    isOverriddenByConfig
    config {
      hasSecret
      signerType
      signerTruncate
      previousUntil
    }
  }
}
    `),new Z(`
    mutation ConfigureSigning($input: ProcessorInput!) {
  configureProcessor(input: $input) {
    message
  }
}
    `),new Z(`
    query TryUrl($url: String!) {
  parseProcessorUrl(url: $url) {
    path
    image
    unsafe
    hash
    validSignature
    explain
    warnings
  }
}
    `),new Z(`
    query Storage {
  storageStatus {
    type
    place
    reachable
    isOverriddenByConfig
    lastUpdated
    restartRequired
  }
}
    `),new Z(`
    mutation TestStorage($input: StorageConfigInput!) {
  testStorageConfig(input: $input) {
    success
    message
    details
  }
}
    `),new Z(`
    mutation UseFolder($input: FileStorageInput!) {
  configureFileStorage(input: $input) {
    message
  }
}
    `),new Z(`
    mutation UseBucket($input: S3StorageInput!) {
  configureS3Storage(input: $input) {
    message
  }
}
    `),new Z(`
    query Cache {
  cacheStatus {
    enabled
    misses
    stored
    dropped
    waiting
    memory {
      ...Tier
    }
    files {
      ...Tier
    }
    s3 {
      ...Tier
    }
  }
}
    fragment Tier on CacheTier {
  entries
  bytes
  maxBytes
  hits
  evicted
  damaged
  failed
  paused
}`),new Z(`
    mutation Purge($input: PurgeCacheInput!) {
  purgeCache(input: $input) {
    purged {
      memory
      files
      s3
      bytes
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    query Index {
  indexStatus {
    pendingFiles
    scan {
      path
      state
      folders
      entries
      startedAt
      finishedAt
    }
  }
}
    `),new Z(`
    mutation Rescan($input: RescanInput!) {
  rescan(input: $input) {
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    query EditedFile($path: String!) {
  file(path: $path) {
    id
    path
    name
    type
    width
    height
    size
    thumb: url(operations: {width: 480, filters: [{name: "format", args: "webp"}]})
  }
}
    `),new Z(`
    mutation SignUrl($image: String!, $params: ProcessorParamsInput!) {
  generateProcessorUrl(imagePath: $image, params: $params)
}
    `),new Z(`
    mutation SaveTemplate($input: SaveTemplateInput!) {
  saveTemplate(input: $input) {
    templatePath
    warnings
  }
}
    `),new Z(`
    query PickImages($search: String, $after: String) {
  files(
    recursive: true
    search: $search
    sort: MODIFIED
    order: DESC
    first: 48
    after: $after
  ) {
    nodes {
      id
      path
      name
      type
      width
      thumb: url(operations: {height: 160, filters: [{name: "format", args: "webp"}]})
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `),new Z(`
    query Files($folder: String!, $recursive: Boolean!, $filter: FileFilter, $search: String, $sort: FileSort!, $order: SortOrder!, $first: Int!, $after: String, $count: Boolean!) {
  files(
    folder: $folder
    recursive: $recursive
    filter: $filter
    search: $search
    sort: $sort
    order: $order
    first: $first
    after: $after
  ) {
    totalCount @include(if: $count)
    nodes {
      ...Tile
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment Tile on File {
  id
  path
  name
  size
  modifiedAt
  takenAt
  type
  metadata
  width
  height
  pages
  dominantColor
  thumbHash
  tags
  focalPoint {
    x
    y
  }
  small: url(operations: {height: 240, filters: [{name: "format", args: "webp"}]})
  medium: url(
    operations: {height: 480, filters: [{name: "format", args: "webp"}]}
  )
  large: url(operations: {height: 960, filters: [{name: "format", args: "webp"}]})
}`),new Z(`
    query Folders($folder: String!, $after: String) {
  folders(folder: $folder, first: 100, after: $after) {
    nodes {
      id
      path
      name
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `),new Z(`
    query FolderFace($folder: String!, $size: Int!) {
  files(folder: $folder, recursive: true, sort: MODIFIED, order: DESC, first: 4) {
    totalCount
    nodes {
      id
      thumb: url(
        operations: {width: $size, height: $size, smart: true, filters: [{name: "format", args: "webp"}]}
      )
    }
  }
}
    `),new Z(`
    query Tags {
  tags {
    name
    count
  }
}
    `),new Z(`
    mutation TagFiles($input: TagFilesInput!) {
  tagFiles(input: $input) {
    results {
      path
      ok
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation TrashFiles($input: TrashFilesInput!) {
  trashFiles(input: $input) {
    results {
      path
      ok
      trashed {
        id
      }
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation RestoreFiles($input: RestoreFilesInput!) {
  restoreFiles(input: $input) {
    results {
      id
      ok
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation MoveFiles($input: MoveFilesInput!) {
  moveFiles(input: $input) {
    results {
      path
      ok
      file {
        path
      }
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation CopyFiles($input: CopyFilesInput!) {
  copyFiles(input: $input) {
    results {
      path
      ok
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation CreateFolder($path: String!) {
  createFolder(path: $path)
}
    `),new Z(`
    query PaletteSearch($search: String!) {
  folders(recursive: true, search: $search, first: 6) {
    nodes {
      id
      path
      name
    }
  }
  files(recursive: true, search: $search, first: 8) {
    nodes {
      id
      path
      name
      type
      thumb: url(
        operations: {width: 64, height: 64, smart: true, filters: [{name: "format", args: "webp"}]}
      )
    }
  }
}
    `),new Z(`
    mutation LogoutEverywhere($userId: ID, $apiTokens: Boolean) {
  logoutEverywhere(userId: $userId, apiTokens: $apiTokens)
}
    `),new Z(`
    mutation RenameMe($input: UpdateProfileInput!) {
  updateProfile(input: $input) {
    id
    displayName
  }
}
    `),new Z(`
    mutation ChangeMyPassword($input: ChangePasswordInput!) {
  changePassword(input: $input)
}
    `),new Z(`
    query TemplateFiles($after: String) {
  files(
    recursive: true
    search: "template json"
    sort: NAME
    first: 100
    after: $after
  ) {
    nodes {
      id
      path
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `),new Z(`
    query OneTemplate($path: String!) {
  template(path: $path) {
    path
    name
    modifiedTime
    previewUrl
    envelope
    problem
    description
    dimensions {
      width
      height
    }
    sourceImagePath
    warnings
  }
}
    `),new Z(`
    mutation ApplyTemplate($json: String!, $image: String) {
  generateProcessorUrlFromTemplate(templateJson: $json, imagePath: $image)
}
    `),new Z(`
    mutation PreviewTemplate($json: String!, $image: String) {
  generateProcessorUrlFromTemplate(
    templateJson: $json
    imagePath: $image
    forPreview: true
    previewMaxDimensions: {width: 480, height: 320}
  )
}
    `),new Z(`
    mutation RenameTemplate($input: RenameTemplateInput!) {
  renameTemplate(input: $input) {
    template {
      path
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation DeleteTemplate($input: DeleteTemplateInput!) {
  deleteTemplate(input: $input) {
    deletedPath
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    query TrashPage($after: String, $count: Boolean!) {
  trashedFiles(first: 100, after: $after) {
    totalCount @include(if: $count)
    nodes {
      ...Trashed
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment Trashed on TrashedFile {
  id
  path
  name
  isDirectory
  size
  fileCount
  trashedAt
  trashedBy
  purgeAt
}`),new Z(`
    mutation PurgeFiles($input: PurgeFilesInput!) {
  purgeFiles(input: $input) {
    results {
      id
      ok
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation EmptyTrash {
  emptyTrash {
    purgedCount
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation CreateUpload($input: CreateUploadInput!) {
  createUpload(input: $input) {
    upload {
      id
      url
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation FinishUpload($input: FinishUploadInput!) {
  finishUpload(input: $input) {
    file {
      path
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation CancelUpload($input: CancelUploadInput!) {
  cancelUpload(input: $input) {
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    query ViewedFile($path: String!) {
  file(path: $path) {
    ...Viewed
  }
}
    fragment Viewed on File {
  id
  path
  name
  size
  modifiedAt
  takenAt
  type
  width
  height
  pages
  camera
  dominantColor
  thumbHash
  exif {
    name
    value
  }
  tags
  description
  focalPoint {
    x
    y
  }
  small: url(operations: {width: 480, filters: [{name: "format", args: "webp"}]})
  screens: srcset(
    widths: [960, 1600, 2400, 3600, 5400, 8000]
    operations: {filters: [{name: "format", args: "webp"}]}
  )
  full: url(operations: {filters: [{name: "format", args: "webp"}]})
  original: url(operations: {filters: [{name: "raw"}, {name: "attachment"}]})
}`),new Z(`
    mutation SaveFile($input: UpdateFileInput!) {
  updateFile(input: $input) {
    file {
      ...Viewed
    }
    userErrors {
      code
      message
      field
    }
  }
}
    fragment Viewed on File {
  id
  path
  name
  size
  modifiedAt
  takenAt
  type
  width
  height
  pages
  camera
  dominantColor
  thumbHash
  exif {
    name
    value
  }
  tags
  description
  focalPoint {
    x
    y
  }
  small: url(operations: {width: 480, filters: [{name: "format", args: "webp"}]})
  screens: srcset(
    widths: [960, 1600, 2400, 3600, 5400, 8000]
    operations: {filters: [{name: "format", args: "webp"}]}
  )
  full: url(operations: {filters: [{name: "format", args: "webp"}]})
  original: url(operations: {filters: [{name: "raw"}, {name: "attachment"}]})
}`),new Z(`
    query FileForUse($path: String!, $width: Int!, $widths: [Int!]!) {
  file(path: $path) {
    id
    url(operations: {width: $width})
    jpeg: srcset(
      widths: $widths
      operations: {filters: [{name: "format", args: "jpeg"}]}
    )
    webp: srcset(
      widths: $widths
      operations: {filters: [{name: "format", args: "webp"}]}
    )
    avif: srcset(
      widths: $widths
      operations: {filters: [{name: "format", args: "avif"}]}
    )
  }
}
    `);var Ke=`query Files($folder:String!$recursive:Boolean!$filter:FileFilter$search:String$sort:FileSort!$order:SortOrder!$first:Int!$after:String$count:Boolean!){files(folder:$folder recursive:$recursive filter:$filter search:$search sort:$sort order:$order first:$first after:$after){totalCount@include(if:$count)nodes{...Tile}pageInfo{hasNextPage endCursor}}}fragment Tile on File{id path name size modifiedAt takenAt type metadata width height pages dominantColor thumbHash tags focalPoint{x y}small:url(operations:{height:240 filters:[{name:"format" args:"webp"}]})medium:url(operations:{height:480 filters:[{name:"format" args:"webp"}]})large:url(operations:{height:960 filters:[{name:"format" args:"webp"}]})}`,qe=`query Folders($folder:String!$after:String){folders(folder:$folder first:100 after:$after){nodes{id path name}pageInfo{hasNextPage endCursor}}}`,Je=`query FolderFace($folder:String!$size:Int!){files(folder:$folder recursive:true sort:MODIFIED order:DESC first:4){totalCount nodes{id thumb:url(operations:{width:$size height:$size smart:true filters:[{name:"format" args:"webp"}]})}}}`,Ye=`query Tags{tags{name count}}`,Xe=`mutation TagFiles($input:TagFilesInput!){tagFiles(input:$input){results{path ok error{code message}}userErrors{code message field}}}`,Ze=`mutation TrashFiles($input:TrashFilesInput!){trashFiles(input:$input){results{path ok trashed{id}error{code message}}userErrors{code message field}}}`,Qe=`mutation RestoreFiles($input:RestoreFilesInput!){restoreFiles(input:$input){results{id ok error{code message}}userErrors{code message field}}}`,$e=`mutation MoveFiles($input:MoveFilesInput!){moveFiles(input:$input){results{path ok file{path}error{code message}}userErrors{code message field}}}`,et=`mutation CopyFiles($input:CopyFilesInput!){copyFiles(input:$input){results{path ok error{code message}}userErrors{code message field}}}`,tt=`mutation CreateFolder($path:String!){createFolder(path:$path)}`,Q=new class{#e=new te;#t=new Map;children(e){return this.#e.get(e)}load(e){return this.#e.has(e)?Promise.resolve():this.reload(e)}reload(e){let t=this.#t.get(e);if(t)return t;let n=this.#n(e).finally(()=>this.#t.delete(e));return this.#t.set(e,n),n}clear(){this.#e.clear()}async#n(e){let t=[];for(let n=null;;){let{folders:r}=await G(qe,{folder:e,after:n});if(t.push(...r?.nodes??[]),n=r?.pageInfo.endCursor??null,!r?.pageInfo.hasNextPage||!n)break}this.#e.set(e,t)}},nt=e=>e.slice(0,Math.max(0,e.lastIndexOf(`/`))),rt=e=>e.slice(e.lastIndexOf(`/`)+1),it=(e,t)=>e?`${e}/${t}`:t,at=e=>e?e.split(`/`).map((e,t,n)=>n.slice(0,t+1).join(`/`)):[],ot=`safelight.gallery`,$=new class{#e=w(`justified`);get view(){return e(this.#e)}set view(e){E(this.#e,e,!0)}#t=w(200);get size(){return e(this.#t)}set size(e){E(this.#t,e,!0)}#n=w(A([]));get open(){return e(this.#n)}set open(e){E(this.#n,e,!0)}constructor(){try{let e=JSON.parse(localStorage.getItem(ot)??`{}`);e.view&&[`justified`,`square`,`list`].includes(e.view)&&(this.view=e.view),typeof e.size==`number`&&(this.size=Math.min(400,Math.max(96,e.size))),Array.isArray(e.open)&&(this.open=e.open.filter(e=>typeof e==`string`).slice(0,200))}catch{}}keep(){localStorage.setItem(ot,JSON.stringify({view:this.view,size:this.size,open:this.open}))}},st=h(`<ul role="group" class="svelte-ccbhws"></ul>`),ct=h(`<li role="none"><div role="treeitem"><span><!></span> <!> <span class="clip"> </span></div> <!></li>`);function lt(t,a){R(a,!0);let s=I(()=>$.open.includes(a.folder.path)),c=I(()=>Q.children(a.folder.path)),l=I(()=>a.at===a.folder.path);M(()=>{Q.load(a.folder.path).catch(()=>void 0)});function d(){$.open=e(s)?$.open.filter(e=>e!==a.folder.path&&!e.startsWith(`${a.folder.path}/`)):[...$.open,a.folder.path],$.keep()}var p=ct(),h=F(p);let _,x;var C=F(h);let w;Y(F(C),{get path(){return Ue},size:12}),i(C);var T=N(C,2);{let t=I(()=>e(s)&&e(c)?.length?Ge:We);Y(T,{get path(){return e(t)}})}var E=N(T,2),D=S(E,!0);i(h);var O=N(h,2),k=t=>{var n=st();f(n,21,()=>e(c),e=>e.path,(t,n)=>{{let r=I(()=>a.depth+1);lt(t,{get folder(){return e(n)},get depth(){return e(r)},get at(){return a.at},get go(){return a.go},entry:!1})}}),i(n),g(t,n)};o(O,t=>{e(s)&&e(c)?.length&&t(k)}),i(p),b(()=>{y(h,`aria-level`,a.depth+1),y(h,`tabindex`,e(l)||a.entry?0:-1),y(h,`aria-selected`,e(l)),y(h,`aria-expanded`,e(c)?.length?e(s):void 0),y(h,`data-path`,a.folder.path),_=L(h,1,`row svelte-ccbhws`,null,_,{on:e(l)}),x=n(h,``,x,{"padding-left":`${a.depth*16+4}px`}),w=L(C,1,`twist svelte-ccbhws`,null,w,{open:e(s),none:!e(c)?.length}),y(E,`title`,a.folder.name),m(D,a.folder.name)}),v(`toggle`,h,d),u(`click`,h,()=>a.go(a.folder.path)),u(`click`,C,e=>{e.stopPropagation(),d()}),g(t,p),r()}P([`click`]);var ut=h(`<h3 class="svelte-1adg88"> </h3>`),dt=h(`<li role="treeitem" data-path=""> </li>`),ft=h(`<!> <ul role="tree" class="svelte-1adg88"><!> <!></ul>`,1);function pt(t,n){R(n,!0);let a=j(n,`label`,19,()=>V(`nav.folders`)),s=I(()=>n.chosen??(H.path.startsWith(`/f/`)?decodeURIComponent(H.path.slice(3)):``)),l=I(()=>Q.children(``)),d=e=>n.onchoose?n.onchoose(e):U(`/f/${Ve(e)}`);M(()=>{Q.load(``).catch(()=>void 0);for(let t of at(e(s)).slice(0,-1))$.open.includes(t)||($.open=[...$.open,t])});function p(e){let t=[...e.currentTarget.querySelectorAll(`[role=treeitem]`)],n=e.target.closest(`[role=treeitem]`),r=n?t.indexOf(n):-1,i=n?.getAttribute(`aria-expanded`),a;if(e.key===`ArrowDown`)a=t[r+1];else if(e.key===`ArrowUp`)a=t[r-1];else if(e.key===`Home`)a=t[0];else if(e.key===`End`)a=t.at(-1);else if(e.key===`ArrowRight`&&n)i===`false`?n.dispatchEvent(new CustomEvent(`toggle`)):a=t[r+1];else if(e.key===`ArrowLeft`&&n)i===`true`?n.dispatchEvent(new CustomEvent(`toggle`)):a=t.slice(0,r).findLast(e=>Number(e.ariaLevel)<Number(n.ariaLevel));else if((e.key===`Enter`||e.key===` `)&&n)d(n.dataset.path);else return;e.preventDefault(),e.stopPropagation(),a?.focus()}var h=c(),_=x(h),v=t=>{var r=ft(),c=x(r),h=e=>{var t=ut(),n=S(t,!0);b(()=>m(n,a())),g(e,t)};o(c,e=>{n.onchoose||e(h)});var _=N(c,2),v=F(_),C=t=>{var n=dt();let r;var i=S(n,!0);b(t=>{y(n,`tabindex`,e(s)===``?0:-1),y(n,`aria-selected`,e(s)===``),r=L(n,1,`root svelte-1adg88`,null,r,{on:e(s)===``}),m(i,t)},[()=>V(`nav.library`)]),u(`click`,n,()=>d(``)),u(`keydown`,n,()=>void 0),g(t,n)};o(v,e=>{n.onchoose&&e(C)});var w=N(v,2);f(w,19,()=>e(l)??[],e=>e.path,(t,r,i)=>{{let a=I(()=>!n.onchoose&&e(i)===0&&!e(l)?.some(t=>e(s)===t.path||e(s).startsWith(`${t.path}/`)));lt(t,{get folder(){return e(r)},depth:0,get at(){return e(s)},go:d,get entry(){return e(a)}})}}),i(_),b(()=>y(_,`aria-label`,a())),u(`keydown`,_,p),g(t,r)};o(_,t=>{(e(l)?.length||n.onchoose)&&t(v)}),g(t,h),r()}P([`keydown`,`click`]);var mt=`mutation CreateUpload($input:CreateUploadInput!){createUpload(input:$input){upload{id url}userErrors{code message field}}}`,ht=`mutation FinishUpload($input:FinishUploadInput!){finishUpload(input:$input){file{path}userErrors{code message field}}}`,gt=`mutation CancelUpload($input:CancelUploadInput!){cancelUpload(input:$input){userErrors{code message field}}}`,_t=3,vt=8<<20,yt=[500,1e3,3e3,5e3,1e4,2e4],bt=class{id;file;path;#e=w(`waiting`);get state(){return e(this.#e)}set state(e){E(this.#e,e,!0)}#t=w(0);get sent(){return e(this.#t)}set sent(e){E(this.#t,e,!0)}#n=w(``);get reason(){return e(this.#n)}set reason(e){E(this.#n,e,!0)}preview;policy=`ERROR`;#r=null;#i=null;constructor(e,t,n){this.id=e,this.file=t,this.path=n,this.preview=/^image\/(jpeg|png|webp|gif|avif)$/.test(t.type)&&t.size<3e7?URL.createObjectURL(t):``}async run(){this.state=`sending`,this.reason=``;try{this.#r?await this.#s(this.#r):await this.#o();let{finishUpload:e}=await G(ht,{input:{id:this.#i}});Se(e?.userErrors??[]),this.state=`done`}catch(e){if(this.#a)return;let t=e instanceof W&&e.code===`CONFLICT`;t&&(this.#r=null),this.state=t?`conflict`:`failed`,this.reason=e instanceof Error?e.message:String(e)}}get#a(){return this.state===`paused`}async#o(){let{createUpload:e}=await G(mt,{input:{path:this.path,contentType:this.file.type.startsWith(`image/`)?this.file.type:`application/octet-stream`,sizeBytes:this.file.size,onConflict:this.policy}});Se(e?.userErrors??[]);let{id:t,url:n}=e.upload;this.#i=t;let{Upload:r}=await z(async()=>{let{Upload:e}=await import(`./browser-DpflrsUw.js`);return{Upload:e}},[]);this.#r=new r(this.file,{uploadUrl:new URL(n,location.href).href,chunkSize:vt,retryDelays:yt,storeFingerprintForResuming:!1,onProgress:e=>this.sent=e}),await this.#s(this.#r)}#s(e){return new Promise((t,n)=>{e.options.onSuccess=()=>t(),e.options.onError=n,this.#c=()=>n(Error(`paused`)),e.start()})}#c=()=>void 0;pause(){this.state===`waiting`&&(this.state=`paused`),this.state===`sending`&&(this.state=`paused`,this.#r?.abort(),this.#c())}cancel(){this.pause(),this.#i&&this.state!==`done`&&G(gt,{input:{id:this.#i}}).catch(()=>void 0),this.preview&&URL.revokeObjectURL(this.preview)}},xt=new class{#e=w([]);get list(){return e(this.#e)}set list(e){E(this.#e,e)}#t=new te;#n=1;add(e,t){t.length&&(this.list=[...this.list,...t.map(({file:t,path:n})=>new bt(this.#n++,t,it(e,n)))],this.#r())}finishedIn(e){return this.#t.get(e)??0}get done(){return this.list.filter(e=>e.state===`done`).length}get running(){return this.list.some(e=>e.state===`sending`||e.state===`waiting`)}get bytes(){let e=this.list.reduce((e,t)=>e+t.file.size,0);return{sent:this.list.reduce((e,t)=>e+(t.state===`done`?t.file.size:t.sent),0),all:e}}retry(e,t){t&&(e.policy=t),e.state=`waiting`,this.#r()}resolveAll(e){for(let t of this.list.filter(e=>e.state===`conflict`))e?this.retry(t,e):this.drop(t)}pauseAll(){for(let e of this.list)e.pause()}resumeAll(){for(let e of this.list)(e.state===`paused`||e.state===`failed`)&&(e.state=`waiting`);this.#r()}drop(e){e.cancel(),this.list=this.list.filter(t=>t!==e),this.#r()}clear(){for(let e of this.list)e.cancel();this.list=[]}#r(){let e=_t-this.list.filter(e=>e.state===`sending`).length;for(let t of this.list.filter(e=>e.state===`waiting`).slice(0,Math.max(0,e)))t.run().then(()=>{this.#r(),t.state===`done`&&this.#o(t.path)})}#i=new Set;#a;#o(e){for(let t=nt(e);this.#i.add(t),t;t=nt(t));clearTimeout(this.#a),this.#a=setTimeout(()=>{for(let e of this.#i)this.#t.set(e,this.finishedIn(e)+1),Q.reload(e).catch(()=>void 0);this.#i.clear()},600)}},St=`M17.925 20.056a6 6 0 0 0-11.851.001M8 11a4 4 0 1 0 8 0a4 4 0 1 0 -8 0M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0`,Ct=`M9.671 4.136a2.34 2.34 0 0 1 4.659 0 2.34 2.34 0 0 0 3.319 1.915 2.34 2.34 0 0 1 2.33 4.033 2.34 2.34 0 0 0 0 3.831 2.34 2.34 0 0 1-2.33 4.033 2.34 2.34 0 0 0-3.319 1.915 2.34 2.34 0 0 1-4.659 0 2.34 2.34 0 0 0-3.32-1.915 2.34 2.34 0 0 1-2.33-4.033 2.34 2.34 0 0 0 0-3.831A2.34 2.34 0 0 1 6.35 6.051a2.34 2.34 0 0 0 3.319-1.915M9 12a3 3 0 1 0 6 0a3 3 0 1 0 -6 0`,wt=`M22 11l-1.296-1.296a2.4 2.4 0 0 0-3.408 0L11 16M4 8a2 2 0 0 0-2 2v10a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2M12 7a1 1 0 1 0 2 0a1 1 0 1 0 -2 0M10 2h10a2 2 0 0 1 2 2v10a2 2 0 0 1 -2 2h-10a2 2 0 0 1 -2 -2v-10a2 2 0 0 1 2 -2z`,Tt=`M4 3h16a1 1 0 0 1 1 1v5a1 1 0 0 1 -1 1h-16a1 1 0 0 1 -1 -1v-5a1 1 0 0 1 1 -1zM4 14h7a1 1 0 0 1 1 1v5a1 1 0 0 1 -1 1h-7a1 1 0 0 1 -1 -1v-5a1 1 0 0 1 1 -1zM17 14h3a1 1 0 0 1 1 1v5a1 1 0 0 1 -1 1h-3a1 1 0 0 1 -1 -1v-5a1 1 0 0 1 1 -1z`,Et=`M21 21l-4.34-4.34M3 11a8 8 0 1 0 16 0a8 8 0 1 0 -16 0`,Dt=`M10 11v6M14 11v6M19 6v14a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V6M3 6h18M8 6V4a2 2 0 0 1 2-2h4a2 2 0 0 1 2 2v2`,Ot=[{href:`/`,label:`nav.library`,icon:wt,place:`top`,tab:!0,lit:e=>e===`/`||e.startsWith(`/f/`)},{href:`/search`,label:`nav.search`,icon:Et,place:`top`,tab:!0},{href:`/templates`,label:`nav.templates`,icon:Tt,place:`top`,role:`edit`,tab:!0},{href:`/trash`,label:`nav.trash`,icon:Dt,place:`bottom`,role:`edit`,tab:!0},{href:`/admin`,label:`nav.admin`,icon:Ct,place:`bottom`,role:`admin`},{href:`/me`,label:`nav.account`,icon:St,place:`bottom`,tab:!0}],kt=h(`<a><!><span class="clip svelte-1ic85nn"> </span></a>`),At=h(`<div class="app svelte-1ic85nn"><a class="skip svelte-1ic85nn" href="#main"> </a> <header class="side svelte-1ic85nn"><a class="brand svelte-1ic85nn" href="/"><span class="lamp svelte-1ic85nn"></span>Safelight</a> <nav class="svelte-1ic85nn"><!></nav> <nav class="folders svelte-1ic85nn"><!></nav> <nav class="svelte-1ic85nn"><!></nav></header> <main id="main" tabindex="-1" class="svelte-1ic85nn"><!></main> <nav class="tabs svelte-1ic85nn"></nav></div> <!>`,1);function jt(n,a){R(a,!0);let s=(t,n=p)=>{var r=c(),a=x(r);f(a,17,()=>e(u).filter(e=>e.place===n()),e=>e.href,(t,n)=>{let r=I(()=>h(e(n))&&(e(n).href!==`/`||H.path===`/`));var a=kt();let o;var s=F(a);Y(s,{get path(){return e(n).icon}});var c=N(s),l=S(c,!0);i(a),b(t=>{y(a,`href`,e(n).href),y(a,`aria-current`,e(r)?`page`:void 0),o=L(a,1,`svelte-1ic85nn`,null,o,{on:e(r)}),m(l,t)},[()=>_(e(n))]),g(t,a)}),g(t,r)},u=I(()=>Ot.filter(e=>!e.role||(e.role===`admin`?J.mayAdminister:J.mayEdit))),d=I(()=>e(u).filter(e=>e.tab).slice(0,5)),h=e=>e.lit?e.lit(H.path):H.path===e.href||H.path.startsWith(`${e.href}/`),_=e=>e.href===`/me`?J.user?.displayName??V(e.label):V(e.label);var v=At(),C=x(v),w=F(C),T=S(w,!0),E=N(w,2),O=N(F(E),2);s(F(O),()=>`top`),i(O);var k=N(O,2);pt(F(k),{}),i(k);var ee=N(k,2);s(F(ee),()=>`bottom`),i(ee),i(E);var A=N(E,2),te=F(A);D(te,()=>a.children),i(A);var j=N(A,2);f(j,21,()=>e(d),e=>e.href,(t,n)=>{var r=kt();let a;var o=F(r);Y(o,{get path(){return e(n).icon},size:22});var s=N(o),c=S(s,!0);i(r),b((t,i,o)=>{y(r,`href`,e(n).href),y(r,`aria-current`,t),a=L(r,1,`svelte-1ic85nn`,null,a,{on:i}),m(c,o)},[()=>h(e(n))?`page`:void 0,()=>h(e(n)),()=>_(e(n))]),g(t,r)}),i(j),i(C);var M=N(C,2),P=n=>{var r=c(),i=x(r);l(i,()=>z(()=>import(`./Tray-DCmW6ADs.js`),__vite__mapDeps([0,1,2,3])),null,(n,r)=>{var i=I(()=>{var{default:t}=e(r);return{Tray:t}}),a=I(()=>e(i).Tray),o=c(),s=x(o);t(s,()=>e(a),(e,t)=>{t(e,{})}),g(n,o)}),g(n,r)};o(M,e=>{xt.list.length&&e(P)}),b((e,t,n,r,i)=>{m(T,e),y(O,`aria-label`,t),y(k,`aria-label`,n),y(ee,`aria-label`,r),y(j,`aria-label`,i)},[()=>V(`app.skip`),()=>V(`nav.main`),()=>V(`nav.folders`),()=>V(`nav.more`),()=>V(`nav.main`)]),g(n,v),r()}var Mt=new Set([`$$slots`,`$$events`,`$$legacy`,`kind`,`icon`,`label`,`on`,`busy`,`type`,`element`,`children`,`disabled`,`href`]),Nt=h(`<span class="spin svelte-1j8p21y"></span>`),Pt=h(`<!><!>`,1);function Ft(e,t){R(t,!0);let n=j(t,`kind`,3,`plain`),i=j(t,`busy`,3,!1),a=j(t,`type`,3,`button`),s=j(t,`element`,15,null),l=ne(t,Mt);var u=c(),d=x(u);O(d,()=>t.href===void 0?`button`:`a`,!1,(e,r)=>{k(e,e=>s(e),()=>s()),T(e,()=>({href:t.href,type:t.href===void 0?a():void 0,class:[`btn`,n(),{square:!t.children,on:t.on}],"aria-label":t.label,"aria-pressed":t.on===void 0?void 0:t.on,"aria-busy":i()||void 0,title:t.children?void 0:t.label,disabled:t.href===void 0?t.disabled||i():void 0,...l}),void 0,void 0,void 0,`svelte-1j8p21y`);var c=Pt(),u=x(c),d=e=>{var t=Nt();g(e,t)},f=e=>{Y(e,{get path(){return t.icon}})};o(u,e=>{i()?e(d):t.icon&&e(f,1)});var m=N(u);D(m,()=>t.children??p),g(r,c)}),g(e,u),r()}var It=h(`<p class="meta svelte-1mkf5dt"> </p>`),Lt=h(`<section class="svelte-1mkf5dt"><h1> </h1> <!> <!></section>`);function Rt(e,t){R(t,!0);var n=Lt(),s=F(n),c=S(s,!0),l=N(s,2),u=e=>{var n=It(),r=S(n,!0);b(()=>m(r,t.text)),g(e,n)};o(l,e=>{t.text&&e(u)});var f=N(l,2),p=e=>{Ft(e,{get href(){return t.action.href},get onclick(){return t.action.run},children:(e,n)=>{a();var r=d();b(()=>m(r,t.action.label)),g(e,r)},$$slots:{default:!0}})};o(f,e=>{t.action&&e(p)}),i(n),b(()=>m(c,t.title)),g(e,n),r()}var zt=()=>z(()=>import(`./Admin-BiCDlSfE.js`),__vite__mapDeps([4,1,2,5,6,7,8,9,10,11,12,13,14,15])),Bt=()=>z(()=>import(`./Gallery-1pG4P3cm.js`),__vite__mapDeps([16,1,17,2,5,11,7,12,18,19,20,21,6,8,9,10,22])),Vt=[{pattern:`/login`,page:()=>z(()=>import(`./Login-D7sskr7_.js`),__vite__mapDeps([23,1,9,10,24,25,26])),bare:!0,open:!0},{pattern:`/setup`,page:()=>z(()=>import(`./Setup-BKxl09wv.js`),__vite__mapDeps([27,1,9,10,24,25,26])),bare:!0,open:!0},{pattern:`/`,page:Bt,group:`gallery`},{pattern:`/f/*folder`,page:Bt,group:`gallery`},{pattern:`/search`,page:()=>z(()=>import(`./Search-X-nJFmEb.js`),__vite__mapDeps([28,1,17,2,5,11,7,12,18,19,20,21,29]))},{pattern:`/i/*file`,page:()=>z(()=>import(`./Viewer-D2xbgInu.js`),__vite__mapDeps([30,1,2,5,31,20,32])),bare:!0,group:`viewer`},{pattern:`/edit/*file`,page:()=>z(()=>import(`./Editor-DiCNWh_u.js`),__vite__mapDeps([33,1,2,11,7,12,34,18,19,35,36,37,38])),bare:!0,role:`edit`,group:`editor`},{pattern:`/templates`,page:()=>z(()=>import(`./Templates-CCZeZYhc.js`),__vite__mapDeps([39,1,2,34,5,6,7,8,9,10,11,12,40,41])),role:`edit`},{pattern:`/trash`,page:()=>z(()=>import(`./Trash-DhDJl6yZ.js`),__vite__mapDeps([42,1,2,5,6,7,8,43])),role:`edit`},{pattern:`/admin`,page:zt,role:`admin`,group:`admin`},{pattern:`/admin/:section`,page:zt,role:`admin`,group:`admin`},{pattern:`/me`,page:()=>z(()=>import(`./Me-DO-eh_9j.js`),__vite__mapDeps([44,1,9,10,24,45]))}];function Ht(e){for(let t of Vt){let n=Be(t.pattern,e);if(n)return{route:t,params:n}}return null}var Ut=h(`<!> <!> <!>`,1);function Wt(n,i){R(i,!0);let a=n=>{var r=c(),i=x(r),a=t=>{{let n=I(()=>V(`app.notFound`)),r=I(()=>V(`app.notFoundText`)),i=I(()=>({label:V(`app.toLibrary`),href:`/`}));Rt(t,{get title(){return e(n)},get text(){return e(r)},get action(){return e(i)}})}},l=t=>{{let n=I(()=>V(`app.notAllowed`)),r=I(()=>V(`app.notAllowedText`)),i=I(()=>({label:V(`app.toLibrary`),href:`/`}));Rt(t,{get title(){return e(n)},get text(){return e(r)},get action(){return e(i)}})}},u=t=>{{let n=I(()=>V(`app.failed`)),r=I(()=>V(`app.failedText`)),i=I(()=>({label:V(`app.reload`),run:()=>location.reload()}));Rt(t,{get title(){return e(n)},get text(){return e(r)},get action(){return e(i)}})}},h=n=>{let r=I(()=>e(f).page);var i=c(),a=x(i);t(a,()=>e(r),(t,n)=>{n(t,{get params(){return e(s).params}})}),g(n,i)};o(i,t=>{e(s)?e(d)?e(p)?t(u,2):e(f)?.key===e(m)&&t(h,3):t(l,1):t(a)}),g(n,r)},s=I(()=>Ht(H.path)),u=I(()=>!e(s)||e(s).route.open||J.user!==null),d=I(()=>!e(s)?.route.role||(e(s).route.role===`admin`?J.mayAdminister:J.mayEdit));M(()=>{if(e(u))return;let t=location.pathname+location.search;U(t===`/`?`/login`:`/login?next=${encodeURIComponent(t)}`,{replace:!0})});let f=w(null),p=w(!1),m=I(()=>e(s)?e(s).route.group??e(s).route.pattern:``);M(()=>{let t=e(s)?.route;if(!t||!e(u)||e(f)?.key===e(m))return;let n=e(m);E(p,!1),t.page().then(t=>n===e(m)&&E(f,{page:t.default,key:n}),()=>n===e(m)&&E(p,!0))});let h=w(null);function _(e){!J.user||e.defaultPrevented||e.altKey||((e.ctrlKey||e.metaKey)&&!e.shiftKey&&e.key.toLowerCase()===`k`?(e.preventDefault(),E(h,`palette`)):e.key!==`?`||e.ctrlKey||e.metaKey||e.target.closest?.(`input, textarea, select, [role=dialog], dialog`)||(e.preventDefault(),E(h,`shortcuts`)))}var y=Ut();v(`keydown`,ee,_);var b=x(y),S=t=>{var n=c(),r=x(n),i=e=>{a(e)},l=e=>{jt(e,{children:(e,t)=>{a(e)},$$slots:{default:!0}})},u=e=>{a(e)};o(r,t=>{e(s)?.route.bare?t(i):J.user?t(l,1):t(u,-1)}),g(t,n)};o(b,t=>{e(u)&&t(S)});var C=N(b,2),T=n=>{var r=c(),i=x(r);l(i,()=>z(()=>import(`./Palette-DTlXZ-PF.js`),__vite__mapDeps([46,1,47])),null,(n,r)=>{var i=I(()=>{var{default:t}=e(r);return{Palette:t}}),a=I(()=>e(i).Palette),o=c(),s=x(o);t(s,()=>e(a),(t,n)=>{n(t,{onclose:()=>e(h)===`palette`&&E(h,null),onshortcuts:()=>E(h,`shortcuts`)})}),g(n,o)}),g(n,r)},D=n=>{var r=c(),i=x(r);l(i,()=>z(()=>import(`./Shortcuts-LFodMbEE.js`),__vite__mapDeps([48,1,6,7,8,49])),null,(n,r)=>{var i=I(()=>{var{default:t}=e(r);return{Shortcuts:t}}),a=I(()=>e(i).Shortcuts),o=c(),s=x(o);t(s,()=>e(a),(e,t)=>{t(e,{onclose:()=>E(h,null)})}),g(n,o)}),g(n,r)};o(C,t=>{e(h)===`palette`?t(T):e(h)===`shortcuts`&&t(D,1)}),ze(N(C,2),{}),g(n,y),r()}var Gt=`safelight.theme`,Kt=class{#e=w(A(qt(localStorage.getItem(Gt))));get choice(){return e(this.#e)}set choice(e){localStorage.setItem(Gt,e),this.#t(e)}start(){this.#t(e(this.#e)),addEventListener(`storage`,e=>e.key===Gt&&this.#t(qt(e.newValue)))}#t(e){E(this.#e,e,!0),e===`system`?delete document.documentElement.dataset.theme:document.documentElement.dataset.theme=e}},qt=e=>e===`dark`||e===`light`?e:`system`,Jt=new Kt,Yt=[`byte`,`kilobyte`,`megabyte`,`gigabyte`,`terabyte`];function Xt(e,t=B.current){let n=Math.min(Yt.length-1,e<1e3?0:Math.floor(Math.log10(e)/3)),r=e/1e3**n,i=n===0||r>=100?0:1;return new Intl.NumberFormat(t,{style:`unit`,unit:Yt[n],unitDisplay:`short`,maximumFractionDigits:i}).format(r)}function Zt(e){return new Intl.DateTimeFormat(B.current,{dateStyle:`medium`}).format(new Date(e))}function Qt(e){return new Intl.DateTimeFormat(B.current,{dateStyle:`medium`,timeStyle:`short`}).format(new Date(e))}var $t=[[`year`,31536e3],[`month`,2592e3],[`day`,86400],[`hour`,3600],[`minute`,60]];function en(e,t=Date.now()){let n=(new Date(e).getTime()-t)/1e3,r=new Intl.RelativeTimeFormat(B.current,{numeric:`auto`});for(let[e,t]of $t)if(Math.abs(n)>=t)return r.format(Math.trunc(n/t),e);return r.format(Math.trunc(n),`second`)}function tn(e){return new Intl.NumberFormat(B.current,{maximumFractionDigits:+(Math.abs(e)<10)}).format(e)}var nn=h(`<!><span class="only-read svelte-1qlbtbo"> </span>`,1),rn=h(`<label><input type="radio" class="svelte-1qlbtbo"/> <!></label>`),an=h(`<fieldset class="svelte-1qlbtbo"><legend class="only-read"> </legend> <!></fieldset>`);function on(t,n){let a=s();R(n,!0);var c=an(),l=F(c),p=S(l,!0),h=N(l,2);f(h,17,()=>n.options,e=>e.value,(t,r)=>{var s=rn();let c;var l=F(s);C(l);var f=N(l,2),p=t=>{var n=nn(),i=x(n);Y(i,{get path(){return e(r).icon}});var a=N(i),o=S(a,!0);b(()=>m(o,e(r).label)),g(t,n)},h=t=>{var n=d();b(()=>m(n,e(r).label)),g(t,n)};o(f,t=>{e(r).icon?t(p):t(h,-1)}),i(s),b(()=>{y(s,`title`,e(r).icon?e(r).label:void 0),c=L(s,1,`svelte-1qlbtbo`,null,c,{icons:e(r).icon}),y(l,`name`,a),ae(l,e(r).value),ie(l,n.value===e(r).value)}),u(`change`,l,()=>n.onchange(e(r).value)),g(t,s)}),i(c),b(()=>m(p,n.label)),g(t,c),r()}P([`change`]);export{de as $,Qe as A,je as B,nt as C,Ke as D,tt as E,Ue as F,G,W as H,Ve as I,ve as J,xe as K,X as L,Ye as M,Ze as N,Je as O,We as P,B as Q,Y as R,rt as S,et as T,Te as U,J as V,Se as W,U as X,H as Y,be as Z,xt as _,tn as a,Q as b,Wt as c,Ft as d,he as et,Ot as f,Ct as g,Tt as h,Qt as i,Xe as j,$e as k,Ht as l,Et as m,Xt as n,z as nt,en as o,Dt as p,ye as q,Zt as r,Jt as s,on as t,V as tt,Rt as u,pt as v,at as w,it as x,$ as y,Ne as z};