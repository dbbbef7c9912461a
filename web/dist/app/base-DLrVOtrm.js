const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["app/SavedNav-w1IvDe3w.js","app/svelte-TSvVesi9.js","app/saved.svelte-BYa641h3.js","app/query-D0ipIdhu.js","app/SavedNav-BG-VtFSV.css","app/Tray-CwMrhESl.js","app/icons-IL8G_H5O.js","app/Tray-hDriS0Wu.css","app/Admin-MiFn5bDj.js","app/Dialog-B0m2VaCb.js","app/scroll-lock-ooDBgci5.js","app/Dialog-CtJLdqMQ.css","app/Field-WZ1EezNp.js","app/Field-_qwH4VwC.css","app/Menu-CqB4JNgo.js","app/Menu-CX7M6Jmw.css","app/Tokens-B3s3Pi4Q.js","app/Tokens-DuWfycd6.css","app/paged.svelte-DR7opA-_.js","app/sections-R54JpWzl.js","app/Admin-6O6Noq-u.css","app/Gallery-DMUplJrD.js","app/ViewControls-haCf30zg.js","app/Slider-SSN8wde1.js","app/Slider-w7j-WkeU.css","app/pages.svelte-YsKkwzSj.js","app/SearchBox-Ce6OfZaD.js","app/SearchBox-CLrX0DOc.css","app/ViewControls-BqwufVMS.css","app/Gallery-Ccnm2kPX.css","app/Login-Cgvk62qY.js","app/failure-BQRaG9Hd.js","app/Gate-g3I2tuP5.js","app/Gate-BZbTBwxa.css","app/Setup-DIaFvkZu.js","app/Timeline-CDnnGSIU.js","app/Timeline-L_hTtWPe.css","app/Search-BR_sIfsl.js","app/Search-_GfEbZ_i.css","app/Viewer-D9bhczUY.js","app/documents-RKuhjz5u.js","app/Viewer-LGWmgJda.css","app/Editor-fhQrvuYK.js","app/layers-Cvh2_yRu.js","app/names-DmgY891l.js","app/server-N_mYMVsJ.js","app/documents-Ddu2-Lad.js","app/Editor-X3zzxM1J.css","app/Templates-BJGvEbIh.js","app/library-Cnfrg0C_.js","app/Templates-Cq4nIgp2.css","app/Clean-DDfDxMSV.js","app/Clean-Bg7k6lf_.css","app/Trash-9sEsNdWq.js","app/Trash-DoIvAubA.css","app/Me-BdyCQSs7.js","app/Me-D2kCyJMH.css","app/Palette-CjB48pRP.js","app/Palette-D-Rp-0HB.css","app/Shortcuts-B8I2Prxf.js","app/Shortcuts-Bj_SiK8T.css"])))=>i.map(i=>d[i]);
import{$ as e,A as t,C as n,D as r,Dt as i,F as a,G as o,H as s,I as c,J as l,K as u,M as d,Ot as f,R as p,Tt as m,U as h,V as g,W as _,Y as v,_ as y,at as b,dt as x,ft as S,g as C,gt as w,h as T,ht as E,j as ee,k as D,kt as te,l as ne,lt as re,mt as O,n as k,o as A,ot as ie,pt as j,q as M,s as ae,t as oe,ut as N,v as se,w as P,wt as F,y as ce,yt as I}from"./svelte-TSvVesi9.js";var le=(function(){let e=typeof document<`u`&&document.createElement(`link`).relList;return e&&e.supports&&e.supports(`modulepreload`)?`modulepreload`:`preload`})(),ue=function(e){return`/`+e},de={},fe=function(e){return e.pathname.endsWith(`.css`)},pe=function(e,t,n){if(t in e)return e[t];let r=n();if(!r){e[t]=void 0;return}let i=r.then(()=>{e[t]=void 0},n=>{throw e[t]=void 0,n});return e[t]=i,i},L=function(e,t,n){let r=Promise.resolve();if(t&&t.length>0){let e,i=document.querySelector(`meta[property=csp-nonce]`),a=i?.nonce||i?.getAttribute(`nonce`);function o(e){return Promise.all(e.map(e=>Promise.resolve(e).then(e=>({status:`fulfilled`,value:e}),e=>({status:`rejected`,reason:e}))))}function s(e){return import.meta.resolve?new URL(import.meta.resolve(e)):new URL(e,import.meta.url)}r=o(t.map(t=>{t=ue(t,n);let r=s(t),i=fe(r);return pe(de,r.href,()=>{if(e===void 0){e={all:new Set,styles:new Set};let t=document.getElementsByTagName(`link`);for(let n=t.length-1;n>=0;n--){let r=t[n];e.all.add(r.href),r.rel===`stylesheet`&&e.styles.add(r.href)}}if((i?e.styles:e.all).has(r.href))return;let t=document.createElement(`link`);if(t.rel=i?`stylesheet`:le,i||(t.as=`script`),t.crossOrigin=``,t.href=r.href,a&&t.setAttribute(`nonce`,a),document.head.appendChild(t),i)return new Promise((e,n)=>{let i=a=>{t.removeEventListener(`load`,i),t.removeEventListener(`error`,i),a.type===`error`?n(Error(`Unable to preload CSS for ${r}`)):e(a)};t.addEventListener(`load`,i),t.addEventListener(`error`,i)})})}).filter(e=>e!==void 0))}function i(e){let t=new Event(`vite:preloadError`,{cancelable:!0});if(t.payload=e,window.dispatchEvent(t),!t.defaultPrevented)throw e}return r.then(t=>{for(let e of t||[])e.status===`rejected`&&i(e.reason);return e().catch(i)})},me={en:`English`,de:`Deutsch`,fr:`Français`,es:`Español`,"pt-BR":`Português (Brasil)`,ja:`日本語`,zh:`简体中文`},he=`safelight.language`,ge=Object.assign({"./de.json":()=>L(()=>import(`./de-ukanDT2j.js`).then(e=>e.default),[]),"./en.json":()=>L(()=>import(`./en-DosH0Nkw.js`).then(e=>e.default),[]),"./es.json":()=>L(()=>import(`./es-Dd1i5BGJ.js`).then(e=>e.default),[]),"./fr.json":()=>L(()=>import(`./fr-Bt8k5i8a.js`).then(e=>e.default),[]),"./ja.json":()=>L(()=>import(`./ja-DnkzhEiJ.js`).then(e=>e.default),[]),"./pt-BR.json":()=>L(()=>import(`./pt-BR-BsLOo2Y0.js`).then(e=>e.default),[]),"./zh.json":()=>L(()=>import(`./zh-_2BZy2wx.js`).then(e=>e.default),[])}),R=new class{#e=w({});#t=w(`en`);#n=new Intl.PluralRules(`en`);get current(){return e(this.#t)}async use(e,t=!1){E(this.#e,await ge[`./${e}.json`]()),E(this.#t,e,!0),this.#n=new Intl.PluralRules(e),document.documentElement.lang=e,t&&localStorage.setItem(he,e)}text(t,n){let r=e(this.#e)[t];return r===void 0?t:_e(typeof r==`string`?r:r[this.#n.select(Number(n.n))]??r.other??t,n,e(this.#t))}};function z(e,t={}){return R.text(e,t)}function _e(e,t,n){return e.replace(/\{(\w+)\}/g,(e,r)=>{let i=t[r];return i===void 0?e:typeof i==`number`?new Intl.NumberFormat(n).format(i):i})}function ve(e=localStorage.getItem(he),t=navigator.languages){if(e&&e in me)return e;for(let e of t){let t=e.toLowerCase().split(`-`)[0],n=Object.keys(me).find(n=>n.toLowerCase()===e.toLowerCase()||n.toLowerCase().split(`-`)[0]===t);if(n)return n}return`en`}var B=new class{#e=w(O(location.pathname));get path(){return e(this.#e)}set path(e){E(this.#e,e,!0)}#t=w(O(location.hash));get hash(){return e(this.#t)}set hash(e){E(this.#t,e,!0)}query=new oe(location.search);read(){this.path=location.pathname,this.hash=location.hash;let e=new URLSearchParams(location.search);for(let t of[...this.query.keys()])e.has(t)||this.query.delete(t);for(let[t,n]of e)this.query.get(t)!==n&&this.query.set(t,n)}},ye=location.href,be=new Set;function xe(e){return be.add(e),()=>be.delete(e)}function Se(e,t={}){new URL(e,location.href).pathname!==location.pathname&&[...be].some(e=>!e())||(history[t.replace?`replaceState`:`pushState`]({inside:!0},``,e),ye=location.href,B.read())}function Ce(e){history.state?.inside?history.back():Se(e,{replace:!0})}function we(e,t={}){let n=new URLSearchParams(location.search);for(let[t,r]of Object.entries(e))r===null||r===``?n.delete(t):n.set(t,r);let r=n.toString();history[t.push?`pushState`:`replaceState`](history.state,``,location.pathname+(r?`?${r}`:``)+location.hash),ye=location.href,B.read()}function Te(e){let t=t=>{if(t.defaultPrevented||t.button!==0||t.metaKey||t.ctrlKey||t.shiftKey||t.altKey)return;let n=t.target?.closest?.(`a`);n&&!n.target&&!n.hasAttribute(`download`)&&n.origin===location.origin&&e(n.pathname)&&(t.preventDefault(),n.href!==location.href&&Se(n.pathname+n.search+n.hash))},n=()=>{let e=location.href;if(location.pathname!==B.path&&[...be].some(e=>!e()))return history.pushState({inside:!0},``,ye);ye=e,B.read()};return document.addEventListener(`click`,t),addEventListener(`popstate`,n),()=>{document.removeEventListener(`click`,t),removeEventListener(`popstate`,n)}}var V=class extends Error{code;field;retryAfter;constructor(e,t,n,r){super(t),this.code=e,this.field=n,this.retryAfter=r,this.name=`ApiError`}};function H(e){let[t]=e;if(t)throw new V(t.code,t.message,t.field)}async function U(e,t,n={}){let r=await De(`/api/graphql`,JSON.stringify({query:String(e),variables:t}),n),[i]=r.errors??[];if(i)throw new V(i.extensions?.code??`INTERNAL`,i.message,i.extensions?.field);return r.data}async function Ee(e,t,n={}){return await De(e,JSON.stringify(t),{...n,token:n.token??``})}async function De(e,t,n){let r=n.token??W.token,i={Accept:`application/json`};t!==void 0&&(i[`Content-Type`]=`application/json`),r&&(i.Authorization=`Bearer ${r}`);let a;try{a=await fetch(e,{method:t===void 0?`GET`:`POST`,headers:i,body:t,signal:n.signal,credentials:`omit`,cache:`no-store`})}catch(e){throw n.signal?.aborted?e:new V(`OFFLINE`,`The server does not answer.`)}if(a.status===204)return;let o=await a.json().catch(e=>{if(n.signal?.aborted)throw e;return{}});if(a.ok)return o;throw Oe(a,o,r)}function Oe(e,t,n){let[r]=t.errors??[],i=t.error??r?.extensions?.code??`INTERNAL`;i===`UNAUTHENTICATED`&&n&&W.refused(n);let a=Number(e.headers.get(`Retry-After`))||void 0;return new V(i,t.message??r?.message??e.statusText,t.field??r?.extensions?.field,a)}async function ke(){return await De(`/api/auth/options`,void 0,{token:``})}var Ae=.6;function je(e){return Math.min(e.issuedAt+(e.expiresAt-e.issuedAt)*Ae,e.expiresAt-6e4)}var Me=`safelight.session`,Ne=2**31-1,Pe=class{#e=w(Fe());#t;get token(){return e(this.#e)?.token??``}get user(){return e(this.#e)?.user??null}get mayEdit(){return this.user?.role===`admin`||this.user?.role===`user`}get mayAdminister(){return this.user?.role===`admin`}may(e){return e===void 0||(e===`admin`?this.mayAdminister:this.mayEdit)}start(){addEventListener(`storage`,e=>{(e.key===Me||e.key===null)&&this.#i(Fe())}),addEventListener(`visibilitychange`,()=>this.#a()),this.#a()}async login(e,t){this.#n(await Ee(`/api/auth/login`,{username:e,password:t}))}async guest(){this.#n(await Ee(`/api/auth/guest`,{}))}async register(e){this.#n(await Ee(`/api/auth/register`,e))}async logout(){let e=this.token;this.forget(),e&&await Ee(`/api/auth/logout`,{},{token:e}).catch(()=>void 0)}forget(){localStorage.removeItem(Me),this.#i(null)}refused(e){let t=Fe();t&&t.token!==e?this.#i(t):this.forget()}rename(t){let n=e(this.#e);n&&this.#r({...n,user:{...n.user,displayName:t}})}#n(e){let t=Date.now();this.#r({token:e.token,issuedAt:t,expiresAt:t+e.expiresIn*1e3,user:e.user})}#r(e){localStorage.setItem(Me,JSON.stringify(e)),this.#i(e)}#i(e){E(this.#e,e),this.#a()}#a(){clearTimeout(this.#t);let t=e(this.#e);if(!t)return;let n=Math.max(0,je(t)-Date.now());this.#t=setTimeout(()=>n>Ne?this.#a():void this.#o(),Math.min(n,Ne))}async#o(){let e=async()=>{let e=Fe();if(!e||je(e)>Date.now())return this.#i(e);try{this.#n(await Ee(`/api/auth/refresh`,{token:e.token}))}catch(t){t instanceof V&&t.code===`UNAUTHENTICATED`?this.refused(e.token):this.#t=setTimeout(()=>void this.#o(),3e4)}};navigator.locks?await navigator.locks.request(Me,e):await e()}};function Fe(){try{let e=JSON.parse(localStorage.getItem(Me)??`null`);return e&&e.expiresAt>Date.now()?e:null}catch{return null}}var W=new Pe,Ie=`M20 6 9 17l-5-5`,Le=`M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0M12 8L12 12M12 16L12.01 16`,Re=`M18 6 6 18M6 6l12 12`,ze=_(`<svg viewBox="0 0 24 24" aria-hidden="true"><path></path></svg>`);function G(e,t){let n=A(t,`size`,3,18),r=A(t,`fill`,3,!1);var i=ze();let a;var o=S(i);b(()=>{y(i,`width`,n()),y(i,`height`,n()),a=P(i,0,`svelte-123hemx`,null,a,{fill:r()}),y(o,`d`,t.path)}),g(e,i)}var Be={done:6e3,note:8e3,error:1e4},K=new class{#e=w(O([]));get list(){return e(this.#e)}set list(e){E(this.#e,e,!0)}#t=1;#n=new Map;show(e,t,n){let r=this.#t++;return this.list=[...this.list.slice(-2),{id:r,kind:e,text:t,action:n}],this.#r(r,e),r}close(e){this.list=this.list.filter(t=>t.id!==e),clearTimeout(this.#n.get(e)),this.#n.delete(e)}hold(){for(let e of this.#n.values())clearTimeout(e)}release(){for(let e of this.list)this.#r(e.id,e.kind)}#r(e,t){clearTimeout(this.#n.get(e)),this.#n.set(e,setTimeout(()=>this.close(e),Be[t]))}},Ve=h(`<button class="act svelte-d8zspq"> </button>`),He=h(`<div><!> <span class="grow"> </span> <!> <button class="close svelte-d8zspq"><!></button></div>`),Ue=h(`<div class="toasts svelte-d8zspq" role="status" aria-live="polite"></div>`);function We(t,n){m(n,!0);async function r(e){K.close(e.id),await e.action?.run()}var i=Ue();d(i,21,()=>K.list,e=>e.id,(t,n)=>{var i=He(),o=N(i);{let t=I(()=>e(n).kind===`done`?Ie:Le);G(o,{get path(){return e(t)}})}var s=j(o,2),c=S(s,!0),u=j(s,2),d=t=>{var i=Ve(),a=S(i,!0);b(()=>p(a,e(n).action.label)),l(`click`,i,()=>r(e(n))),g(t,i)};a(u,t=>{e(n).action&&t(d)});var m=j(u,2);G(N(m),{get path(){return Re},size:16}),f(m),f(i),b(t=>{P(i,1,`toast ${e(n).kind??``}`,`svelte-d8zspq`),p(c,e(n).text),y(m,`aria-label`,t)},[()=>z(`ui.close`)]),l(`click`,m,()=>K.close(e(n).id)),g(t,i)}),f(i),v(`pointerenter`,i,()=>K.hold()),v(`pointerleave`,i,()=>K.release()),l(`focusin`,i,()=>K.hold()),l(`focusout`,i,()=>K.release()),g(t,i),F()}M([`focusin`,`focusout`,`click`]);function Ge(e,t){let n=e.split(`/`).slice(1),r=t.replace(/\/+$/,``).split(`/`).slice(1),i={};for(let[e,t]of n.entries()){if(t.startsWith(`*`))return i[t.slice(1)]=r.slice(e).map(qe).join(`/`),i;let n=r[e]??``;if(t.startsWith(`:`)){if(!n)return null;i[t.slice(1)]=qe(n)}else if(t!==n)return null}return r.length>n.length?null:i}function Ke(e){return e.split(`/`).map(encodeURIComponent).join(`/`)}function qe(e){try{return decodeURIComponent(e)}catch{return e}}var Je=`M9 18l6-6-6-6`,Ye=`M20 20a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-7.9a2 2 0 0 1-1.69-.9L9.6 3.9A2 2 0 0 0 7.93 3H4a2 2 0 0 0-2 2v13a2 2 0 0 0 2 2Z`,Xe=`M6 14l1.5-2.9A2 2 0 0 1 9.24 10H20a2 2 0 0 1 1.94 2.5l-1.54 6a2 2 0 0 1-1.95 1.5H4a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h3.9a2 2 0 0 1 1.69.9l.81 1.2a2 2 0 0 0 1.67.9H18a2 2 0 0 1 2 2v2`;function Ze(){return new Promise(e=>{let t=document.createElement(`input`);t.type=`file`,t.multiple=!0,t.accept=`image/*,application/pdf`,t.addEventListener(`change`,()=>e([...t.files??[]].map(e=>({file:e,path:e.name})))),t.addEventListener(`cancel`,()=>e([])),t.click()})}function Qe(e,t){if(!/^image\.(\w+)$/.test(e.name))return e.name;let n=e=>String(e).padStart(2,`0`);return`${[t.getFullYear(),n(t.getMonth()+1),n(t.getDate())].join(`-`)+` `+[n(t.getHours()),n(t.getMinutes()),n(t.getSeconds())].join(`.`)}${e.name.slice(5)}`}async function $e(e){let t=[...e.items].filter(e=>e.kind===`file`).map(e=>e.webkitGetAsEntry?.()??e.getAsFile()),n=[];for(let e of t)e instanceof File?n.push({file:e,path:e.name}):e&&await et(e,``,n);return n}async function et(e,t,n){if(e.name.startsWith(`.`))return;let r=t+e.name;if(e.isFile){let t=await new Promise((t,n)=>e.file(t,n));n.push({file:t,path:r});return}let i=e.createReader();for(;;){let e=await new Promise((e,t)=>i.readEntries(e,t));if(!e.length)return;for(let t of e)await et(t,`${r}/`,n)}}var q=class extends String{__apiType;value;__meta__;constructor(e,t){super(e),this.value=e,this.__meta__=t}toString(){return this.value}};new q(`
    fragment Account on User {
  id
  displayName
  username
  role
  isActive
  createdAt
  lastLoginAt
}
    `,{fragmentName:`Account`}),new q(`
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
    `,{fragmentName:`Tier`}),new q(`
    fragment Setting on Setting {
  name
  value
  default
  secret
  origin
  source
  environment
  group
  description
}
    `,{fragmentName:`Setting`}),new q(`
    fragment Tile on File {
  id
  path
  name
  size
  modifiedAt
  takenAt
  format
  metadata
  width
  height
  pages
  dominantColor
  thumbHash
  tags
  rating
  favorite
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
    `,{fragmentName:`Tile`}),new q(`
    fragment IndexState on IndexStatus {
  pendingFiles
  scan {
    path
    state
    entries
    folders
    startedAt
    finishedAt
  }
}
    `,{fragmentName:`IndexState`}),new q(`
    fragment SavedSearch on SavedSearch {
  id
  name
  folder
  recursive
  search
  filter
  sort
  order
}
    `,{fragmentName:`SavedSearch`}),new q(`
    fragment Template on Template {
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
    `,{fragmentName:`Template`}),new q(`
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
    `,{fragmentName:`Trashed`}),new q(`
    fragment Viewed on File {
  id
  path
  name
  size
  modifiedAt
  takenAt
  format
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
  rating
  favorite
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
    `,{fragmentName:`Viewed`}),new q(`
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
}`),new q(`
    mutation MakeAccount($input: CreateUserInput!) {
  createUser(input: $input) {
    id
  }
}
    `),new q(`
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
}`),new q(`
    mutation ResetPassword($input: ChangePasswordInput!, $userId: ID!) {
  changePassword(input: $input, userId: $userId)
}
    `),new q(`
    mutation DeactivateAccount($userId: ID!) {
  deactivateAccount(userId: $userId)
}
    `),new q(`
    mutation ReactivateAccount($userId: ID!) {
  reactivateAccount(userId: $userId)
}
    `),new q(`
    mutation DeleteAccount($userId: ID!) {
  removeUser(input: {userId: $userId}) {
    userErrors {
      code
      message
      field
    }
  }
}
    `),new q(`
    mutation EndSessions($userId: ID!) {
  endSessions(input: {userId: $userId}) {
    userErrors {
      code
      message
      field
    }
  }
}
    `),new q(`
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
    `),new q(`
    mutation MakeToken($input: CreateApiTokenInput!) {
  createApiToken(input: $input) {
    secret
  }
}
    `),new q(`
    mutation RevokeToken($id: ID!) {
  removeApiToken(input: {id: $id}) {
    userErrors {
      code
      message
      field
    }
  }
}
    `),new q(`
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
    `),new q(`
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
    `),new q(`
    mutation ConfigureSigning($input: ProcessorInput!) {
  configureProcessor(input: $input) {
    message
  }
}
    `),new q(`
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
    `),new q(`
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
    `),new q(`
    mutation TestStorage($input: StorageConfigInput!) {
  testStorageConfig(input: $input) {
    success
    message
    details
  }
}
    `),new q(`
    mutation UseFolder($input: FileStorageInput!) {
  configureFileStorage(input: $input) {
    message
  }
}
    `),new q(`
    mutation UseBucket($input: S3StorageInput!) {
  configureS3Storage(input: $input) {
    message
  }
}
    `),new q(`
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
}`),new q(`
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
    `),new q(`
    query Index {
  indexStatus {
    ...IndexState
  }
}
    fragment IndexState on IndexStatus {
  pendingFiles
  scan {
    path
    state
    entries
    folders
    startedAt
    finishedAt
  }
}`),new q(`
    mutation Rescan($input: RescanInput!) {
  rescan(input: $input) {
    userErrors {
      code
      message
      field
    }
  }
}
    `),new q(`
    query Settings {
  settings {
    ...Setting
  }
}
    fragment Setting on Setting {
  name
  value
  default
  secret
  origin
  source
  environment
  group
  description
}`),new q(`
    query Diagnosis {
  diagnosis {
    check
    ok
    message
  }
}
    `),new q(`
    query DuplicateGroups($after: String) {
  duplicates(first: 20, after: $after) {
    nodes {
      sha256
      size
      count
      files {
        id
        path
        name
        modifiedAt
        thumb: url(
          operations: {width: 240, height: 240, smart: true, filters: [{name: "format", args: "webp"}]}
        )
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `),new q(`
    query EditedFile($path: String!) {
  file(path: $path) {
    id
    path
    name
    format
    metadata
    width
    height
    size
    thumb: url(operations: {width: 480, filters: [{name: "format", args: "webp"}]})
  }
}
    `),new q(`
    mutation SignUrl($image: String!, $params: ProcessorParamsInput!) {
  generateProcessorUrl(imagePath: $image, params: $params)
}
    `),new q(`
    mutation SaveTemplate($input: SaveTemplateInput!) {
  saveTemplate(input: $input) {
    templatePath
    warnings
  }
}
    `),new q(`
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
      format
      width
      thumb: url(operations: {height: 160, filters: [{name: "format", args: "webp"}]})
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `),new q(`
    mutation CreateArchive($input: CreateArchiveInput!) {
  createArchive(input: $input) {
    archive {
      url
      name
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new q(`
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
  format
  metadata
  width
  height
  pages
  dominantColor
  thumbHash
  tags
  rating
  favorite
  focalPoint {
    x
    y
  }
  small: url(operations: {height: 240, filters: [{name: "format", args: "webp"}]})
  medium: url(
    operations: {height: 480, filters: [{name: "format", args: "webp"}]}
  )
  large: url(operations: {height: 960, filters: [{name: "format", args: "webp"}]})
}`),new q(`
    query LookAtFolder($folder: String!) {
  files(folder: $folder, first: 1) {
    totalCount
  }
}
    `),new q(`
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
    `),new q(`
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
    `),new q(`
    query Tags {
  tags {
    name
    count
  }
}
    `),new q(`
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
    `),new q(`
    mutation RateFiles($input: RateFilesInput!) {
  rateFiles(input: $input) {
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
    `),new q(`
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
    `),new q(`
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
    `),new q(`
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
    `),new q(`
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
    `),new q(`
    mutation CreateFolder($path: String!) {
  createFolder(path: $path)
}
    `),new q(`
    subscription FolderChanges {
  folderChanges(folder: "", recursive: true) {
    kind
    path
    file {
      id
    }
  }
}
    `),new q(`
    subscription IndexChanges {
  indexStatus {
    ...IndexState
  }
}
    fragment IndexState on IndexStatus {
  pendingFiles
  scan {
    path
    state
    entries
    folders
    startedAt
    finishedAt
  }
}`),new q(`
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
      format
      thumb: url(
        operations: {width: 64, height: 64, smart: true, filters: [{name: "format", args: "webp"}]}
      )
    }
  }
}
    `),new q(`
    query SavedSearches($after: String) {
  savedSearches(first: 100, after: $after) {
    nodes {
      ...SavedSearch
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment SavedSearch on SavedSearch {
  id
  name
  folder
  recursive
  search
  filter
  sort
  order
}`),new q(`
    mutation CreateSavedSearch($input: CreateSavedSearchInput!) {
  createSavedSearch(input: $input) {
    userErrors {
      code
      message
      field
    }
  }
}
    `),new q(`
    mutation RenameSavedSearch($input: RenameSavedSearchInput!) {
  renameSavedSearch(input: $input) {
    userErrors {
      code
      message
      field
    }
  }
}
    `),new q(`
    mutation DeleteSavedSearch($input: DeleteSavedSearchInput!) {
  deleteSavedSearch(input: $input) {
    userErrors {
      code
      message
      field
    }
  }
}
    `),new q(`
    mutation LogoutEverywhere {
  endSessions(input: {}) {
    userErrors {
      code
      message
      field
    }
  }
}
    `),new q(`
    mutation RenameMe($input: UpdateProfileInput!) {
  updateProfile(input: $input) {
    id
    displayName
  }
}
    `),new q(`
    mutation ChangeMyPassword($input: ChangePasswordInput!) {
  changePassword(input: $input)
}
    `),new q(`
    query Templates($after: String) {
  templates(recursive: true, first: 50, after: $after) {
    nodes {
      ...Template
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment Template on Template {
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
}`),new q(`
    mutation ApplyTemplate($json: String!, $image: String) {
  generateProcessorUrlFromTemplate(templateJson: $json, imagePath: $image)
}
    `),new q(`
    mutation PreviewTemplate($json: String!, $image: String) {
  generateProcessorUrlFromTemplate(
    templateJson: $json
    imagePath: $image
    forPreview: true
    previewMaxDimensions: {width: 480, height: 320}
  )
}
    `),new q(`
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
    `),new q(`
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
    `),new q(`
    query TimelineMonths($filter: FileFilter, $search: String) {
  timeline(
    recursive: true
    filter: $filter
    search: $search
    by: MONTH
    order: DESC
  ) {
    start
    end
    count
  }
}
    `),new q(`
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
}`),new q(`
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
    `),new q(`
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
    `),new q(`
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
    `),new q(`
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
    `),new q(`
    mutation CancelUpload($input: CancelUploadInput!) {
  cancelUpload(input: $input) {
    userErrors {
      code
      message
      field
    }
  }
}
    `),new q(`
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
  format
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
  rating
  favorite
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
}`),new q(`
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
  format
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
  rating
  favorite
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
}`),new q(`
    query FileForUse($path: String!, $width: Int!, $widths: [Int!]!) {
  file(path: $path) {
    id
    url(operations: {width: $width})
    jpegUrl: url(
      operations: {width: $width, filters: [{name: "format", args: "jpeg"}]}
    )
    webpUrl: url(
      operations: {width: $width, filters: [{name: "format", args: "webp"}]}
    )
    avifUrl: url(
      operations: {width: $width, filters: [{name: "format", args: "avif"}]}
    )
    jxlUrl: url(
      operations: {width: $width, filters: [{name: "format", args: "jxl"}]}
    )
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
    jxl: srcset(
      widths: $widths
      operations: {filters: [{name: "format", args: "jxl"}]}
    )
  }
}
    `),new q(`
    query Similar($path: String!) {
  similarFiles(path: $path, first: 12) {
    distance
    file {
      id
      path
      name
      thumb: url(
        operations: {width: 144, height: 144, smart: true, filters: [{name: "format", args: "webp"}]}
      )
    }
  }
}
    `);var tt=`query Files($folder:String!$recursive:Boolean!$filter:FileFilter$search:String$sort:FileSort!$order:SortOrder!$first:Int!$after:String$count:Boolean!){files(folder:$folder recursive:$recursive filter:$filter search:$search sort:$sort order:$order first:$first after:$after){totalCount@include(if:$count)nodes{...Tile}pageInfo{hasNextPage endCursor}}}fragment Tile on File{id path name size modifiedAt takenAt format metadata width height pages dominantColor thumbHash tags rating favorite focalPoint{x y}small:url(operations:{height:240 filters:[{name:"format" args:"webp"}]})medium:url(operations:{height:480 filters:[{name:"format" args:"webp"}]})large:url(operations:{height:960 filters:[{name:"format" args:"webp"}]})}`,nt=`query LookAtFolder($folder:String!){files(folder:$folder first:1){totalCount}}`,rt=`query Folders($folder:String!$after:String){folders(folder:$folder first:100 after:$after){nodes{id path name}pageInfo{hasNextPage endCursor}}}`,it=`query FolderFace($folder:String!$size:Int!){files(folder:$folder recursive:true sort:MODIFIED order:DESC first:4){totalCount nodes{id thumb:url(operations:{width:$size height:$size smart:true filters:[{name:"format" args:"webp"}]})}}}`,at=`query Tags{tags{name count}}`,ot=`mutation TagFiles($input:TagFilesInput!){tagFiles(input:$input){results{path ok error{code message}}userErrors{code message field}}}`,st=`mutation RateFiles($input:RateFilesInput!){rateFiles(input:$input){results{path ok error{code message}}userErrors{code message field}}}`,ct=`mutation TrashFiles($input:TrashFilesInput!){trashFiles(input:$input){results{path ok trashed{id}error{code message}}userErrors{code message field}}}`,lt=`mutation RestoreFiles($input:RestoreFilesInput!){restoreFiles(input:$input){results{id ok error{code message}}userErrors{code message field}}}`,ut=`mutation MoveFiles($input:MoveFilesInput!){moveFiles(input:$input){results{path ok file{path}error{code message}}userErrors{code message field}}}`,dt=`mutation CopyFiles($input:CopyFilesInput!){copyFiles(input:$input){results{path ok error{code message}}userErrors{code message field}}}`,ft=`mutation CreateFolder($path:String!){createFolder(path:$path)}`,J=new class{#e=new k;#t=new Map;#n=new k;children(e){return this.#e.get(e)}load(e){return this.#e.has(e)?Promise.resolve():this.reload(e)}reload(e){let t=this.#t.get(e);if(t)return t;let n=this.#r(e).finally(()=>this.#t.delete(e));return this.#t.set(e,n),n}version(e){return this.#n.get(e)??0}follow(e){let t=new Set,n=new Set;for(let{kind:r,path:i,isFile:a}of e){if(r===`RELOAD`)for(let e of this.#e.keys())t.add(e);let e=Y(i),o=this.#e.get(e)?.some(e=>e.path===i)??!1;!a&&o===(r===`REMOVED`)&&t.add(e);for(let t of[``,...ht(e)])n.add(t)}for(let e of n)this.#n.set(e,this.version(e)+1);for(let e of t)this.#e.has(e)&&this.reload(e).catch(()=>void 0)}clear(){this.#e.clear()}async#r(e){let t=[];for(let n=null;;){let{folders:r}=await U(rt,{folder:e,after:n});if(t.push(...r?.nodes??[]),n=r?.pageInfo.endCursor??null,!r?.pageInfo.hasNextPage||!n)break}this.#e.set(e,t)}},Y=e=>e.slice(0,Math.max(0,e.lastIndexOf(`/`))),pt=e=>e.slice(e.lastIndexOf(`/`)+1),mt=(e,t)=>e?`${e}/${t}`:t,ht=e=>e?e.split(`/`).map((e,t,n)=>n.slice(0,t+1).join(`/`)):[],gt=`mutation CreateUpload($input:CreateUploadInput!){createUpload(input:$input){upload{id url}userErrors{code message field}}}`,_t=`mutation FinishUpload($input:FinishUploadInput!){finishUpload(input:$input){file{path}userErrors{code message field}}}`,vt=`mutation CancelUpload($input:CancelUploadInput!){cancelUpload(input:$input){userErrors{code message field}}}`,yt=3,bt=8<<20,xt=[500,1e3,3e3,5e3,1e4,2e4],St=class{id;file;path;#e=w(`waiting`);get state(){return e(this.#e)}set state(e){E(this.#e,e,!0)}#t=w(0);get sent(){return e(this.#t)}set sent(e){E(this.#t,e,!0)}#n=w(``);get reason(){return e(this.#n)}set reason(e){E(this.#n,e,!0)}preview;policy=`ERROR`;#r=null;#i=null;constructor(e,t,n){this.id=e,this.file=t,this.path=n,this.preview=/^image\/(jpeg|png|webp|gif|avif)$/.test(t.type)&&t.size<3e7?URL.createObjectURL(t):``}async run(){this.state=`sending`,this.reason=``;try{this.#r?await this.#s(this.#r):await this.#o();let{finishUpload:e}=await U(_t,{input:{id:this.#i}});H(e?.userErrors??[]),this.state=`done`}catch(e){if(this.#a)return;let t=e instanceof V&&e.code===`CONFLICT`;t&&(this.#r=null),this.state=t?`conflict`:`failed`,this.reason=e instanceof Error?e.message:String(e)}}get#a(){return this.state===`paused`}async#o(){let{createUpload:e}=await U(gt,{input:{path:this.path,contentType:this.file.type.startsWith(`image/`)?this.file.type:`application/octet-stream`,sizeBytes:this.file.size,onConflict:this.policy}});H(e?.userErrors??[]);let{id:t,url:n}=e.upload;this.#i=t;let{Upload:r}=await L(async()=>{let{Upload:e}=await import(`./browser-DpflrsUw.js`);return{Upload:e}},[]);this.#r=new r(this.file,{uploadUrl:new URL(n,location.href).href,chunkSize:bt,retryDelays:xt,storeFingerprintForResuming:!1,onProgress:e=>this.sent=e}),await this.#s(this.#r)}#s(e){return new Promise((t,n)=>{e.options.onSuccess=()=>t(),e.options.onError=n,this.#c=()=>n(Error(`paused`)),e.start()})}#c=()=>void 0;pause(){this.state===`waiting`&&(this.state=`paused`),this.state===`sending`&&(this.state=`paused`,this.#r?.abort(),this.#c())}cancel(){this.pause(),this.#i&&this.state!==`done`&&U(vt,{input:{id:this.#i}}).catch(()=>void 0),this.preview&&URL.revokeObjectURL(this.preview)}},Ct=new class{#e=w([]);get list(){return e(this.#e)}set list(e){E(this.#e,e)}#t=new k;#n=1;add(e,t){t.length&&(this.list=[...this.list,...t.map(({file:t,path:n})=>new St(this.#n++,t,mt(e,n)))],this.#r())}finishedIn(e){return this.#t.get(e)??0}get done(){return this.list.filter(e=>e.state===`done`).length}get running(){return this.list.some(e=>e.state===`sending`||e.state===`waiting`)}get bytes(){let e=this.list.reduce((e,t)=>e+t.file.size,0);return{sent:this.list.reduce((e,t)=>e+(t.state===`done`?t.file.size:t.sent),0),all:e}}retry(e,t){t&&(e.policy=t),e.state=`waiting`,this.#r()}resolveAll(e){for(let t of this.list.filter(e=>e.state===`conflict`))e?this.retry(t,e):this.drop(t)}pauseAll(){for(let e of this.list)e.pause()}resumeAll(){for(let e of this.list)(e.state===`paused`||e.state===`failed`)&&(e.state=`waiting`);this.#r()}drop(e){e.cancel(),this.list=this.list.filter(t=>t!==e),this.#r()}clear(){for(let e of this.list)e.cancel();this.list=[]}#r(){let e=yt-this.list.filter(e=>e.state===`sending`).length;for(let t of this.list.filter(e=>e.state===`waiting`).slice(0,Math.max(0,e)))t.run().then(()=>{this.#r(),t.state===`done`&&this.#o(t.path)})}#i=new Set;#a;#o(e){for(let t=Y(e);this.#i.add(t),t;t=Y(t));clearTimeout(this.#a),this.#a=setTimeout(()=>{for(let e of this.#i)this.#t.set(e,this.finishedIn(e)+1),J.reload(e).catch(()=>void 0);this.#i.clear()},600)}},wt=1e3;function X(e){return Array.from({length:Math.ceil(e.length/wt)},(t,n)=>e.slice(n*wt,(n+1)*wt))}function Z(e){let t=e.filter(e=>!e.ok);t.length&&K.show(`error`,z(`gallery.someFailed`,{n:t.length,reason:t[0]?.error?.message??``}))}function Tt(e){if(e instanceof DOMException&&e.name===`AbortError`)return;let t=e instanceof V&&e.code===`OFFLINE`;K.show(`error`,t?z(`error.offline`):e instanceof V?e.message:z(`error.unknown`))}async function Et(e,t){let n=new Set,r=[];for(let t of X(e)){let{trashFiles:e}=await U(ct,{input:{paths:t}});H(e?.userErrors??[]);for(let t of e?.results??[])t.ok&&n.add(t.path),t.trashed&&r.push(t.trashed.id);Z(e?.results??[])}return n.size&&K.show(`done`,z(`gallery.trashed`,{n:n.size}),r.length?{label:z(`ui.undo`),run:async()=>{try{for(let e of X(r)){let{restoreFiles:t}=await U(lt,{input:{ids:e,onConflict:`RENAME`}});H(t?.userErrors??[]),Z(t?.results??[])}t()}catch(e){Tt(e)}}}:void 0),n}async function Dt(e,t,n){let r=await Ot(e,t);return r.size&&K.show(`done`,z(`gallery.moved`,{n:r.size,folder:t||z(`nav.library`)}),{label:z(`ui.undo`),run:async()=>{try{let e=new Map;for(let[t,n]of r)e.set(Y(t),[...e.get(Y(t))??[],n]);for(let[t,n]of e)await Ot(n,t);n()}catch(e){Tt(e)}}}),new Set(r.keys())}async function Ot(e,t){let n=new Map;for(let r of X(e)){let{moveFiles:e}=await U(ut,{input:{paths:r,folder:t,onConflict:`ERROR`}});H(e?.userErrors??[]);for(let t of e?.results??[])t.ok&&t.file&&n.set(t.path,t.file.path);Z(e?.results??[])}return n}async function kt(e,t){let n=0;for(let r of X(e)){let{copyFiles:e}=await U(dt,{input:{paths:r,folder:t,onConflict:`RENAME`}});H(e?.userErrors??[]),n+=e?.results.filter(e=>e.ok).length??0,Z(e?.results??[])}n&&K.show(`done`,z(`gallery.copied`,{n,folder:t||z(`nav.library`)}))}async function At(e,t,n){for(let r of X(e)){let{tagFiles:e}=await U(ot,{input:{paths:r,add:t,remove:n}});H(e?.userErrors??[]),Z(e?.results??[])}K.show(`done`,z(`gallery.tagged`,{n:e.length}))}async function jt(e,t){let n=0;for(let r of X(e)){let{rateFiles:e}=await U(st,{input:{paths:r,...t}});H(e?.userErrors??[]),n+=e?.results.filter(e=>e.ok).length??0,Z(e?.results??[])}n&&K.show(`done`,z(`rate.done`,{n}))}var Mt=`application/x-safelight`,Nt=700,Q=null;function Pt(e,t,n){Q=t,e.dataTransfer.effectAllowed=`copyMove`,e.dataTransfer.setData(Mt,t.paths.join(`
`)),n&&e.dataTransfer.setDragImage(n,-12,-8)}var Ft=()=>void(Q=null);function It(e,t){return e.filter(e=>Y(e)!==t&&t!==e&&!t.startsWith(`${e}/`))}function Lt(e,t){let n,r=e=>t.enabled&&(Q?It(Q.paths,t.folder).length>0:e.dataTransfer?.types.includes(`Files`)??!1),i=()=>{delete e.dataset.drop,clearTimeout(n),n=void 0},a=[[`dragover`,i=>{r(i)&&(i.preventDefault(),i.dataTransfer.dropEffect=!Q||i.ctrlKey||i.altKey?`copy`:`move`,e.dataset.drop=``,n??=setTimeout(()=>t.open?.(),Nt))}],[`dragleave`,t=>e.contains(t.relatedTarget)||i()],[`drop`,e=>{if(i(),!r(e))return;e.preventDefault();let n=Q;n?Rt(n,t.folder,e.ctrlKey||e.altKey):$e(e.dataTransfer).then(e=>Ct.add(t.folder,e),Tt)}]];for(let[t,n]of a)e.addEventListener(t,n);return{update:e=>void(t=e),destroy(){i();for(let[t,n]of a)e.removeEventListener(t,n)}}}async function Rt(e,t,n){let r=n?[...e.paths]:It(e.paths,t);try{n?await kt(r,t):e.moved?.(await Dt(r,t,e.undone??(()=>void 0)));for(let e of new Set([t,...r.map(Y)]))J.reload(e).catch(()=>void 0)}catch(e){Tt(e)}}var zt=`safelight.gallery`,$=new class{#e=w(`justified`);get view(){return e(this.#e)}set view(e){E(this.#e,e,!0)}#t=w(200);get size(){return e(this.#t)}set size(e){E(this.#t,e,!0)}#n=w(O([]));get open(){return e(this.#n)}set open(e){E(this.#n,e,!0)}constructor(){try{let e=JSON.parse(localStorage.getItem(zt)??`{}`);e.view&&[`justified`,`square`,`list`].includes(e.view)&&(this.view=e.view),typeof e.size==`number`&&(this.size=Math.min(400,Math.max(96,e.size))),Array.isArray(e.open)&&(this.open=e.open.filter(e=>typeof e==`string`).slice(0,200))}catch{}}keep(){localStorage.setItem(zt,JSON.stringify({view:this.view,size:this.size,open:this.open}))}},Bt=h(`<ul role="group" class="svelte-ccbhws"></ul>`),Vt=h(`<li role="none"><div role="treeitem"><span><!></span> <!> <span class="clip"> </span></div> <!></li>`);function Ht(t,i){m(i,!0);let o=I(()=>$.open.includes(i.folder.path)),s=I(()=>J.children(i.folder.path)),c=I(()=>i.at===i.folder.path);ie(()=>{J.load(i.folder.path).catch(()=>void 0)});function u(){$.open=e(o)?$.open.filter(e=>e!==i.folder.path&&!e.startsWith(`${i.folder.path}/`)):[...$.open,i.folder.path],$.keep()}var h=Vt(),_=N(h);let x,C;var w=N(_);let T;G(N(w),{get path(){return Je},size:12}),f(w);var E=j(w,2);{let t=I(()=>e(o)&&e(s)?.length?Xe:Ye);G(E,{get path(){return e(t)}})}var ee=j(E,2),D=S(ee,!0);f(_),r(_,(e,t)=>Lt?.(e,t),()=>({folder:i.folder.path,enabled:W.mayEdit,open:()=>e(o)||u()}));var te=j(_,2),ne=t=>{var n=Bt();d(n,21,()=>e(s),e=>e.path,(t,n)=>{{let r=I(()=>i.depth+1);Ht(t,{get folder(){return e(n)},get depth(){return e(r)},get at(){return i.at},get go(){return i.go},entry:!1})}}),f(n),g(t,n)};a(te,t=>{e(o)&&e(s)?.length&&t(ne)}),f(h),b(()=>{y(_,`aria-level`,i.depth+1),y(_,`tabindex`,e(c)||i.entry?0:-1),y(_,`aria-selected`,e(c)),y(_,`aria-expanded`,e(s)?.length?e(o):void 0),y(_,`data-path`,i.folder.path),x=P(_,1,`row svelte-ccbhws`,null,x,{on:e(c)}),C=n(_,``,C,{"padding-left":`${i.depth*16+4}px`}),T=P(w,1,`twist svelte-ccbhws`,null,T,{open:e(o),none:!e(s)?.length}),y(ee,`title`,i.folder.name),p(D,i.folder.name)}),v(`toggle`,_,u),l(`click`,_,()=>i.go(i.folder.path)),l(`click`,w,e=>{e.stopPropagation(),u()}),g(t,h),F()}M([`click`]);var Ut=h(`<h3 class="svelte-1adg88"> </h3>`),Wt=h(`<li role="treeitem" data-path=""> </li>`),Gt=h(`<!> <ul role="tree" class="svelte-1adg88"><!> <!></ul>`,1);function Kt(t,n){m(n,!0);let r=A(n,`label`,19,()=>z(`nav.folders`)),i=I(()=>n.chosen??(B.path.startsWith(`/f/`)?decodeURIComponent(B.path.slice(3)):``)),o=I(()=>J.children(``)),c=e=>n.onchoose?n.onchoose(e):Se(`/f/${Ke(e)}`);ie(()=>{J.load(``).catch(()=>void 0);for(let t of ht(e(i)).slice(0,-1))$.open.includes(t)||($.open=[...$.open,t])});function u(e){let t=[...e.currentTarget.querySelectorAll(`[role=treeitem]`)],n=e.target.closest(`[role=treeitem]`),r=n?t.indexOf(n):-1,i=n?.getAttribute(`aria-expanded`),a;if(e.key===`ArrowDown`)a=t[r+1];else if(e.key===`ArrowUp`)a=t[r-1];else if(e.key===`Home`)a=t[0];else if(e.key===`End`)a=t.at(-1);else if(e.key===`ArrowRight`&&n)i===`false`?n.dispatchEvent(new CustomEvent(`toggle`)):a=t[r+1];else if(e.key===`ArrowLeft`&&n)i===`true`?n.dispatchEvent(new CustomEvent(`toggle`)):a=t.slice(0,r).findLast(e=>Number(e.ariaLevel)<Number(n.ariaLevel));else if((e.key===`Enter`||e.key===` `)&&n)c(n.dataset.path);else return;e.preventDefault(),e.stopPropagation(),a?.focus()}var h=s(),_=x(h),v=t=>{var s=Gt(),m=x(s),h=e=>{var t=Ut(),n=S(t,!0);b(()=>p(n,r())),g(e,t)};a(m,e=>{n.onchoose||e(h)});var _=j(m,2),v=N(_),C=t=>{var n=Wt();let r;var a=S(n,!0);b(t=>{y(n,`tabindex`,e(i)===``?0:-1),y(n,`aria-selected`,e(i)===``),r=P(n,1,`root svelte-1adg88`,null,r,{on:e(i)===``}),p(a,t)},[()=>z(`nav.library`)]),l(`click`,n,()=>c(``)),l(`keydown`,n,()=>void 0),g(t,n)};a(v,e=>{n.onchoose&&e(C)});var w=j(v,2);d(w,19,()=>e(o)??[],e=>e.path,(t,r,a)=>{{let s=I(()=>!n.onchoose&&e(a)===0&&!e(o)?.some(t=>e(i)===t.path||e(i).startsWith(`${t.path}/`)));Ht(t,{get folder(){return e(r)},depth:0,get at(){return e(i)},go:c,get entry(){return e(s)}})}}),f(_),b(()=>y(_,`aria-label`,r())),l(`keydown`,_,u),g(t,s)};a(_,t=>{(e(o)?.length||n.onchoose)&&t(v)}),g(t,h),F()}M([`keydown`,`click`]);function qt(e){let t=e.replaceAll(`\r
`,`
`).split(`

`),n=t.pop()??``;return{events:t.map(e=>{let t=e.split(`
`),n=e=>t.filter(t=>t.startsWith(`${e}:`)).map(t=>t.slice(e.length+1).replace(/^ /,``));return{name:n(`event`).at(-1)??``,data:n(`data`).join(`
`)}}).filter(e=>e.name),rest:n}}async function*Jt(e,t,n){let r=W.token,i={Accept:`text/event-stream`,"Content-Type":`application/json`,Authorization:`Bearer ${r}`},a=await fetch(`/api/graphql`,{method:`POST`,headers:i,body:JSON.stringify({query:String(e),variables:t}),signal:n,credentials:`omit`,cache:`no-store`});if(!a.ok||!a.body)throw Oe(a,await a.json().catch(()=>({})),r);let o=a.body.pipeThrough(new TextDecoderStream).getReader();for(let e=``;;){let{done:t,value:n}=await o.read();if(t)return;let{events:r,rest:i}=qt(e+n);e=i;for(let{name:e,data:t}of r){if(e===`complete`)return;let n=JSON.parse(t),[r]=n.errors??[];if(r)throw new V(r.extensions?.code??`INTERNAL`,r.message);n.data&&(yield n.data)}}}var Yt=`subscription FolderChanges{folderChanges(folder:"" recursive:true){kind path file{id}}}`,Xt=`subscription IndexChanges{indexStatus{...IndexState}}fragment IndexState on IndexStatus{pendingFiles scan{path state entries folders startedAt finishedAt}}`,Zt=300,[Qt,$t]=[1e3,3e4],en=e=>Math.min($t,Qt*2**e),tn=class{name;open;#e=new Set;#t=null;constructor(e,t){this.name=e,this.open=t}listen(e){return this.#e.add(e),this.#t??=this.#n(),()=>{this.#e.delete(e),this.#e.size||(this.#t?.abort(),this.#t=null)}}#n(){let e=new AbortController,{signal:t}=e,n=new BroadcastChannel(`safelight.${this.name}`);n.onmessage=e=>this.#r(e.data),t.addEventListener(`abort`,()=>n.close());let r=e=>{this.#r(e),n.postMessage(e)};return navigator.locks?navigator.locks.request(`safelight.${this.name}`,{signal:t},()=>this.#a(t,r)).catch(()=>void 0):this.#i(t),e}#r(e){for(let t of this.#e)t(e)}#i(e){let t=null,n=()=>{document.hidden||e.aborted?(t?.abort(),t=null):t||(t=new AbortController,this.#a(t.signal,e=>this.#r(e)))};document.addEventListener(`visibilitychange`,n,{signal:e}),e.addEventListener(`abort`,n),n()}async#a(e,t){for(let n=0;!e.aborted;n++){try{await this.#o(e,t,()=>n=0)}catch{}await nn(en(n),e)}}async#o(e,t,n){let r=[],i,a=()=>{i=void 0;let n=r;r=[],n.length&&!e.aborted&&t(n)};try{for await(let t of this.open(e))n(),r.push(t),i??=setTimeout(a,Zt)}finally{clearTimeout(i),a()}}};function nn(e,t){return new Promise(n=>{if(t.aborted)return n();let r=setTimeout(n,e);t.addEventListener(`abort`,()=>(clearTimeout(r),n()),{once:!0})})}var rn=new tn(`changes`,async function*(e){for await(let{folderChanges:t}of Jt(Yt,{},e))t&&(yield{kind:t.kind,path:t.path,isFile:t.file!==null})}),an=new tn(`index`,async function*(e){for await(let{indexStatus:t}of Jt(Xt,{},e))t&&(yield t)});function on(e,t,n,r){let i={removed:new Set,touched:new Set,reload:!1};for(let{kind:a,path:o,isFile:s}of r)a===`RELOAD`?i.reload=!0:(t?!e||o.startsWith(`${e}/`):o.slice(0,Math.max(0,o.lastIndexOf(`/`)))===e)&&(a===`REMOVED`?(i.touched.delete(o),n(o)?i.removed.add(o):i.reload||=t):s&&(i.removed.delete(o)||!n(o)?i.reload=!0:i.touched.add(o)));return i}var sn=`M8 2v3M16 2v3M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1 -2 2h-14a2 2 0 0 1 -2 -2v-14a2 2 0 0 1 2 -2zM3 9h18M8 13h.01M12 13h.01M16 13h.01M8 17h.01M12 17h.01M16 17h.01`,cn=`M17.925 20.056a6 6 0 0 0-11.851.001M8 11a4 4 0 1 0 8 0a4 4 0 1 0 -8 0M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0`,ln=`M12 15l2 2 4-4M10 8h10a2 2 0 0 1 2 2v10a2 2 0 0 1 -2 2h-10a2 2 0 0 1 -2 -2v-10a2 2 0 0 1 2 -2zM4 16c-1.1 0-2-.9-2-2V4c0-1.1.9-2 2-2h10c1.1 0 2 .9 2 2`,un=`M9.671 4.136a2.34 2.34 0 0 1 4.659 0 2.34 2.34 0 0 0 3.319 1.915 2.34 2.34 0 0 1 2.33 4.033 2.34 2.34 0 0 0 0 3.831 2.34 2.34 0 0 1-2.33 4.033 2.34 2.34 0 0 0-3.319 1.915 2.34 2.34 0 0 1-4.659 0 2.34 2.34 0 0 0-3.32-1.915 2.34 2.34 0 0 1-2.33-4.033 2.34 2.34 0 0 0 0-3.831A2.34 2.34 0 0 1 6.35 6.051a2.34 2.34 0 0 0 3.319-1.915M9 12a3 3 0 1 0 6 0a3 3 0 1 0 -6 0`,dn=`M22 11l-1.296-1.296a2.4 2.4 0 0 0-3.408 0L11 16M4 8a2 2 0 0 0-2 2v10a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2M12 7a1 1 0 1 0 2 0a1 1 0 1 0 -2 0M10 2h10a2 2 0 0 1 2 2v10a2 2 0 0 1 -2 2h-10a2 2 0 0 1 -2 -2v-10a2 2 0 0 1 2 -2z`,fn=`M4 3h16a1 1 0 0 1 1 1v5a1 1 0 0 1 -1 1h-16a1 1 0 0 1 -1 -1v-5a1 1 0 0 1 1 -1zM4 14h7a1 1 0 0 1 1 1v5a1 1 0 0 1 -1 1h-7a1 1 0 0 1 -1 -1v-5a1 1 0 0 1 1 -1zM17 14h3a1 1 0 0 1 1 1v5a1 1 0 0 1 -1 1h-3a1 1 0 0 1 -1 -1v-5a1 1 0 0 1 1 -1z`,pn=`M21 21l-4.34-4.34M3 11a8 8 0 1 0 16 0a8 8 0 1 0 -16 0`,mn=`M10 11v6M14 11v6M19 6v14a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V6M3 6h18M8 6V4a2 2 0 0 1 2-2h4a2 2 0 0 1 2 2v2`,hn=[{href:`/`,label:`nav.library`,icon:dn,place:`top`,tab:!0,lit:e=>e===`/`||e.startsWith(`/f/`)},{href:`/timeline`,label:`nav.timeline`,icon:sn,place:`top`,tab:!0},{href:`/search`,label:`nav.search`,icon:pn,place:`top`,tab:!0},{href:`/templates`,label:`nav.templates`,icon:fn,place:`top`,role:`edit`,tab:!0},{href:`/clean`,label:`nav.clean`,icon:ln,place:`bottom`,role:`edit`},{href:`/trash`,label:`nav.trash`,icon:mn,place:`bottom`,role:`edit`},{href:`/admin`,label:`nav.admin`,icon:un,place:`bottom`,role:`admin`},{href:`/me`,label:`nav.account`,icon:cn,place:`bottom`,tab:!0}],gn=h(`<a><!><span class="clip svelte-1ic85nn"> </span></a>`),_n=h(`<div class="app svelte-1ic85nn"><a class="skip svelte-1ic85nn" href="#main"> </a> <header class="side svelte-1ic85nn"><a class="brand svelte-1ic85nn" href="/"><span class="lamp svelte-1ic85nn"></span>Safelight</a> <nav class="svelte-1ic85nn"><!></nav> <nav class="folders svelte-1ic85nn"><!></nav> <!> <nav class="svelte-1ic85nn"><!></nav></header> <main id="main" tabindex="-1" class="svelte-1ic85nn"><!></main> <nav class="tabs svelte-1ic85nn"></nav></div> <!>`,1);function vn(n,r){m(r,!0);let i=(t,n=te)=>{var r=s(),i=x(r);d(i,17,()=>e(o).filter(e=>e.place===n()),e=>e.href,(t,n)=>{let r=I(()=>u(e(n))&&(e(n).href!==`/`||B.path===`/`));var i=gn();let a;var o=N(i);G(o,{get path(){return e(n).icon}});var s=j(o),c=S(s,!0);f(i),b(t=>{y(i,`href`,e(n).href),y(i,`aria-current`,e(r)?`page`:void 0),a=P(i,1,`svelte-1ic85nn`,null,a,{on:e(r)}),p(c,t)},[()=>h(e(n))]),g(t,i)}),g(t,r)};ie(()=>rn.listen(e=>J.follow(e)));let o=I(()=>hn.filter(e=>W.may(e.role))),l=I(()=>e(o).filter(e=>e.tab).slice(0,5)),u=e=>e.lit?e.lit(B.path):B.path===e.href||B.path.startsWith(`${e.href}/`),h=e=>e.href===`/me`?W.user?.displayName??z(e.label):z(e.label);var _=_n(),v=x(_),C=N(v),w=S(C,!0),T=j(C,2),E=j(N(T),2);i(N(E),()=>`top`),f(E);var D=j(E,2);Kt(N(D),{}),f(D);var ne=j(D,2),re=n=>{var r=s(),i=x(r);c(i,()=>L(()=>import(`./SavedNav-w1IvDe3w.js`),__vite__mapDeps([0,1,2,3,4])),null,(n,r)=>{var i=I(()=>{var{default:t}=e(r);return{SavedNav:t}}),a=I(()=>e(i).SavedNav),o=s(),c=x(o);t(c,()=>e(a),(e,t)=>{t(e,{})}),g(n,o)}),g(n,r)};a(ne,e=>{W.mayEdit&&e(re)});var O=j(ne,2);i(N(O),()=>`bottom`),f(O),f(T);var k=j(T,2),A=N(k);ee(A,()=>r.children),f(k);var M=j(k,2);d(M,21,()=>e(l),e=>e.href,(t,n)=>{var r=gn();let i;var a=N(r);G(a,{get path(){return e(n).icon},size:22});var o=j(a),s=S(o,!0);f(r),b((t,a,o)=>{y(r,`href`,e(n).href),y(r,`aria-current`,t),i=P(r,1,`svelte-1ic85nn`,null,i,{on:a}),p(s,o)},[()=>u(e(n))?`page`:void 0,()=>u(e(n)),()=>h(e(n))]),g(t,r)}),f(M),f(v);var ae=j(v,2),oe=n=>{var r=s(),i=x(r);c(i,()=>L(()=>import(`./Tray-CwMrhESl.js`),__vite__mapDeps([5,1,6,7])),null,(n,r)=>{var i=I(()=>{var{default:t}=e(r);return{Tray:t}}),a=I(()=>e(i).Tray),o=s(),c=x(o);t(c,()=>e(a),(e,t)=>{t(e,{})}),g(n,o)}),g(n,r)};a(ae,e=>{Ct.list.length&&e(oe)}),b((e,t,n,r,i)=>{p(w,e),y(E,`aria-label`,t),y(D,`aria-label`,n),y(O,`aria-label`,r),y(M,`aria-label`,i)},[()=>z(`app.skip`),()=>z(`nav.main`),()=>z(`nav.folders`),()=>z(`nav.more`),()=>z(`nav.main`)]),g(n,_),F()}var yn=new Set([`$$slots`,`$$events`,`$$legacy`,`kind`,`icon`,`label`,`on`,`busy`,`type`,`element`,`children`,`disabled`,`href`]),bn=h(`<span class="spin svelte-1j8p21y"></span>`),xn=h(`<!><!>`,1);function Sn(e,t){m(t,!0);let n=A(t,`kind`,3,`plain`),r=A(t,`busy`,3,!1),i=A(t,`type`,3,`button`),o=A(t,`element`,15,null),c=ae(t,yn);var l=s(),u=x(l);D(u,()=>t.href===void 0?`button`:`a`,!1,(e,s)=>{ne(e,e=>o(e),()=>o()),T(e,()=>({href:t.href,type:t.href===void 0?i():void 0,class:[`btn`,n(),{square:!t.children,on:t.on}],"aria-label":t.label,"aria-pressed":t.on===void 0?void 0:t.on,"aria-busy":r()||void 0,title:t.children?void 0:t.label,disabled:t.href===void 0?t.disabled||r():void 0,...c}),void 0,void 0,void 0,`svelte-1j8p21y`);var l=xn(),u=x(l),d=e=>{var t=bn();g(e,t)},f=e=>{G(e,{get path(){return t.icon}})};a(u,e=>{r()?e(d):t.icon&&e(f,1)});var p=j(u);ee(p,()=>t.children??te),g(s,l)}),g(e,l),F()}var Cn=h(`<p class="meta svelte-1mkf5dt"> </p>`),wn=h(`<section class="svelte-1mkf5dt"><h1> </h1> <!> <!></section>`);function Tn(e,t){m(t,!0);var n=wn(),r=N(n),o=S(r,!0),s=j(r,2),c=e=>{var n=Cn(),r=S(n,!0);b(()=>p(r,t.text)),g(e,n)};a(s,e=>{t.text&&e(c)});var l=j(s,2),d=e=>{Sn(e,{get href(){return t.action.href},get onclick(){return t.action.run},children:(e,n)=>{i();var r=u();b(()=>p(r,t.action.label)),g(e,r)},$$slots:{default:!0}})};a(l,e=>{t.action&&e(d)}),f(n),b(()=>p(o,t.title)),g(e,n),F()}var En=()=>L(()=>import(`./Admin-MiFn5bDj.js`),__vite__mapDeps([8,1,6,9,10,11,12,13,14,15,16,17,18,19,20])),Dn=()=>L(()=>import(`./Gallery-DMUplJrD.js`),__vite__mapDeps([21,1,22,6,14,10,15,23,24,25,3,26,27,28,29])),On=[{pattern:`/login`,page:()=>L(()=>import(`./Login-Cgvk62qY.js`),__vite__mapDeps([30,1,12,13,31,32,33])),bare:!0,open:!0},{pattern:`/setup`,page:()=>L(()=>import(`./Setup-DIaFvkZu.js`),__vite__mapDeps([34,1,12,13,31,32,33])),bare:!0,open:!0},{pattern:`/`,page:Dn,group:`gallery`},{pattern:`/f/*folder`,page:Dn,group:`gallery`},{pattern:`/timeline`,page:()=>L(()=>import(`./Timeline-CDnnGSIU.js`),__vite__mapDeps([35,1,26,6,14,10,15,25,3,27,36]))},{pattern:`/search`,page:()=>L(()=>import(`./Search-BR_sIfsl.js`),__vite__mapDeps([37,1,22,6,14,10,15,23,24,25,3,26,27,28,38]))},{pattern:`/i/*file`,page:()=>L(()=>import(`./Viewer-D9bhczUY.js`),__vite__mapDeps([39,1,6,40,25,3,41])),bare:!0,group:`viewer`},{pattern:`/edit/*file`,page:()=>L(()=>import(`./Editor-fhQrvuYK.js`),__vite__mapDeps([42,1,6,14,10,15,43,23,24,44,45,46,47])),bare:!0,role:`edit`,group:`editor`},{pattern:`/templates`,page:()=>L(()=>import(`./Templates-BJGvEbIh.js`),__vite__mapDeps([48,1,6,43,9,10,11,12,13,14,15,49,50])),role:`edit`},{pattern:`/clean`,page:()=>L(()=>import(`./Clean-DDfDxMSV.js`),__vite__mapDeps([51,1,18,52])),role:`edit`},{pattern:`/trash`,page:()=>L(()=>import(`./Trash-9sEsNdWq.js`),__vite__mapDeps([53,1,6,9,10,11,18,54])),role:`edit`},{pattern:`/admin`,page:En,role:`admin`,group:`admin`},{pattern:`/admin/:section`,page:En,role:`admin`,group:`admin`},{pattern:`/me`,page:()=>L(()=>import(`./Me-BdyCQSs7.js`),__vite__mapDeps([55,1,12,13,31,56]))}];function kn(e){for(let t of On){let n=Ge(t.pattern,e);if(n)return{route:t,params:n}}return null}var An=h(`<!> <!> <!>`,1);function jn(n,r){m(r,!0);let i=n=>{var r=s(),i=x(r),c=t=>{{let n=I(()=>z(`app.notFound`)),r=I(()=>z(`app.notFoundText`)),i=I(()=>({label:z(`app.toLibrary`),href:`/`}));Tn(t,{get title(){return e(n)},get text(){return e(r)},get action(){return e(i)}})}},l=t=>{{let n=I(()=>z(`app.notAllowed`)),r=I(()=>z(`app.notAllowedText`)),i=I(()=>({label:z(`app.toLibrary`),href:`/`}));Tn(t,{get title(){return e(n)},get text(){return e(r)},get action(){return e(i)}})}},m=t=>{{let n=I(()=>z(`app.failed`)),r=I(()=>z(`app.failedText`)),i=I(()=>({label:z(`app.reload`),run:()=>location.reload()}));Tn(t,{get title(){return e(n)},get text(){return e(r)},get action(){return e(i)}})}},h=n=>{let r=I(()=>e(d).page);var i=s(),a=x(i);t(a,()=>e(r),(t,n)=>{n(t,{get params(){return e(o).params}})}),g(n,i)};a(i,t=>{e(o)?e(u)?e(f)?t(m,2):e(d)?.key===e(p)&&t(h,3):t(l,1):t(c)}),g(n,r)},o=I(()=>kn(B.path)),l=I(()=>!e(o)||e(o).route.open||W.user!==null),u=I(()=>W.may(e(o)?.route.role));ie(()=>{if(e(l))return;let t=location.pathname+location.search;Se(t===`/`?`/login`:`/login?next=${encodeURIComponent(t)}`,{replace:!0})});let d=w(null),f=w(!1),p=I(()=>e(o)?e(o).route.group??e(o).route.pattern:``);ie(()=>{let t=e(o)?.route;if(!t||!e(l)||e(d)?.key===e(p))return;let n=e(p);E(f,!1),t.page().then(t=>n===e(p)&&E(d,{page:t.default,key:n}),()=>n===e(p)&&E(f,!0))});let h=w(null);function _(e){!W.user||e.defaultPrevented||e.altKey||((e.ctrlKey||e.metaKey)&&!e.shiftKey&&e.key.toLowerCase()===`k`?(e.preventDefault(),E(h,`palette`)):e.key!==`?`||e.ctrlKey||e.metaKey||e.target.closest?.(`input, textarea, select, [role=dialog], dialog`)||(e.preventDefault(),E(h,`shortcuts`)))}var y=An();v(`keydown`,re,_);var b=x(y),S=t=>{var n=s(),r=x(n),c=e=>{i(e)},l=e=>{vn(e,{children:(e,t)=>{i(e)},$$slots:{default:!0}})},u=e=>{i(e)};a(r,t=>{e(o)?.route.bare?t(c):W.user?t(l,1):t(u,-1)}),g(t,n)};a(b,t=>{e(l)&&t(S)});var C=j(b,2),T=n=>{var r=s(),i=x(r);c(i,()=>L(()=>import(`./Palette-CjB48pRP.js`),__vite__mapDeps([57,1,19,2,3,58])),null,(n,r)=>{var i=I(()=>{var{default:t}=e(r);return{Palette:t}}),a=I(()=>e(i).Palette),o=s(),c=x(o);t(c,()=>e(a),(t,n)=>{n(t,{onclose:()=>e(h)===`palette`&&E(h,null),onshortcuts:()=>E(h,`shortcuts`)})}),g(n,o)}),g(n,r)},ee=n=>{var r=s(),i=x(r);c(i,()=>L(()=>import(`./Shortcuts-B8I2Prxf.js`),__vite__mapDeps([59,1,9,10,11,60])),null,(n,r)=>{var i=I(()=>{var{default:t}=e(r);return{Shortcuts:t}}),a=I(()=>e(i).Shortcuts),o=s(),c=x(o);t(c,()=>e(a),(e,t)=>{t(e,{onclose:()=>E(h,null)})}),g(n,o)}),g(n,r)};a(C,t=>{e(h)===`palette`?t(T):e(h)===`shortcuts`&&t(ee,1)}),We(j(C,2),{}),g(n,y),F()}var Mn=`safelight.theme`,Nn=class{#e=w(O(Pn(localStorage.getItem(Mn))));get choice(){return e(this.#e)}set choice(e){localStorage.setItem(Mn,e),this.#t(e)}start(){this.#t(e(this.#e)),addEventListener(`storage`,e=>e.key===Mn&&this.#t(Pn(e.newValue)))}#t(e){E(this.#e,e,!0),e===`system`?delete document.documentElement.dataset.theme:document.documentElement.dataset.theme=e}},Pn=e=>e===`dark`||e===`light`?e:`system`,Fn=new Nn,In=[`byte`,`kilobyte`,`megabyte`,`gigabyte`,`terabyte`];function Ln(e,t=R.current){let n=Math.min(In.length-1,e<1e3?0:Math.floor(Math.log10(e)/3)),r=e/1e3**n,i=n===0||r>=100?0:1;return new Intl.NumberFormat(t,{style:`unit`,unit:In[n],unitDisplay:`short`,maximumFractionDigits:i}).format(r)}function Rn(e){return new Intl.DateTimeFormat(R.current,{dateStyle:`medium`}).format(new Date(e))}function zn(e){return new Intl.DateTimeFormat(R.current,{month:`long`,year:`numeric`,timeZone:`UTC`}).format(new Date(e))}function Bn(e){return new Intl.DateTimeFormat(R.current,{dateStyle:`medium`,timeStyle:`short`}).format(new Date(e))}var Vn=[[`year`,31536e3],[`month`,2592e3],[`day`,86400],[`hour`,3600],[`minute`,60]];function Hn(e,t=Date.now()){let n=(new Date(e).getTime()-t)/1e3,r=new Intl.RelativeTimeFormat(R.current,{numeric:`auto`});for(let[e,t]of Vn)if(Math.abs(n)>=t)return r.format(Math.trunc(n/t),e);return r.format(Math.trunc(n),`second`)}function Un(e){return new Intl.NumberFormat(R.current,{maximumFractionDigits:+(Math.abs(e)<10)}).format(e)}var Wn=h(`<!><span class="only-read svelte-1qlbtbo"> </span>`,1),Gn=h(`<label><input type="radio" class="svelte-1qlbtbo"/> <!></label>`),Kn=h(`<fieldset class="svelte-1qlbtbo"><legend class="only-read"> </legend> <!></fieldset>`);function qn(t,n){let r=o();m(n,!0);var i=Kn(),s=N(i),c=S(s,!0),h=j(s,2);d(h,17,()=>n.options,e=>e.value,(t,i)=>{var o=Gn();let s;var c=N(o);C(c);var d=j(c,2),m=t=>{var n=Wn(),r=x(n);G(r,{get path(){return e(i).icon}});var a=j(r),o=S(a,!0);b(()=>p(o,e(i).label)),g(t,n)},h=t=>{var n=u();b(()=>p(n,e(i).label)),g(t,n)};a(d,t=>{e(i).icon?t(m):t(h,-1)}),f(o),b(()=>{y(o,`title`,e(i).icon?e(i).label:void 0),s=P(o,1,`svelte-1qlbtbo`,null,s,{icons:e(i).icon}),y(c,`name`,r),ce(c,e(i).value),se(c,n.value===e(i).value)}),l(`change`,c,()=>n.onchange(e(i).value)),g(t,o)}),f(i),b(()=>p(c,n.label)),g(t,i),F()}M([`change`]);export{Ie as $,Tt as A,it as B,Lt as C,Dt as D,kt as E,pt as F,Qe as G,lt as H,Y as I,Je as J,Ze as K,ht as L,Ct as M,J as N,jt as O,mt as P,Re as Q,ft as R,$ as S,Pt as T,at as U,nt as V,$e as W,K as X,Ke as Y,G as Z,un as _,zn as a,Te as at,an as b,Fn as c,B as ct,Tn as d,R as dt,W as et,Sn as f,me as ft,fn as g,pn as h,L as ht,Bn as i,U as it,Et as j,At as k,jn as l,Se as lt,mn as m,z as mt,Ln as n,ke as nt,Un as o,Ce as ot,hn as p,ve as pt,Ye as q,Rn as r,H as rt,Hn as s,xe as st,qn as t,V as tt,kn as u,we as ut,rn as v,Ft as w,Kt as x,on as y,tt as z};