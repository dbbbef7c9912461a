const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["app/Tray-sAEHgx3p.js","app/svelte-Bm3pm9fJ.js","app/icons-DspJtZ_X.js","app/Tray-hDriS0Wu.css","app/Gallery-oNRAxQSn.js","app/ViewControls-DPc-xTEN.js","app/Menu-B6BUBKA1.js","app/scroll-lock-DhxC5mNF.js","app/Menu-CX7M6Jmw.css","app/Slider-BOL3u0bq.js","app/Slider-w7j-WkeU.css","app/actions-DLcrpfbD.js","app/pages.svelte-zJOMQCuL.js","app/ViewControls-D0Qn50z8.css","app/Dialog-A_idardM.js","app/Dialog-CtJLdqMQ.css","app/Field-C5Z0YTbq.js","app/Field-_qwH4VwC.css","app/Gallery-BQYWkoHA.css","app/Login-Bz45w7RG.js","app/failure-COJz0lNi.js","app/Gate-FBSkErqY.js","app/Gate-BZbTBwxa.css","app/Setup-DZumLLnP.js","app/Search-V7nhRK4U.js","app/Search-_GfEbZ_i.css","app/Viewer-rAFMwPeq.js","app/documents-CUOnwecM.js","app/Viewer-BJP-WIHZ.css","app/Editor-DHlb4IAr.js","app/names-C59q9hTf.js","app/server-DK7IgXzd.js","app/documents-BLuvGuk2.js","app/Editor-DDEfmq4Z.css","app/Trash-mJ_wiaaz.js","app/Trash-DoIvAubA.css","app/Me-DM73DXDO.js","app/Me-D3Vq-PQj.css"])))=>i.map(i=>d[i]);
import{A as e,B as t,C as n,Ct as r,Dt as i,Et as a,F as o,G as s,H as c,J as l,K as u,L as d,O as f,P as p,Q as m,S as h,St as g,Tt as _,U as v,V as y,W as b,_ as x,_t as S,at as C,dt as w,ft as T,g as E,h as D,ht as O,it as k,j as A,k as ee,l as j,lt as M,m as N,mt as P,n as te,o as F,pt as I,q as L,s as ne,t as re,ut as R,v as ie}from"./svelte-Bm3pm9fJ.js";var ae=(function(){let e=typeof document<`u`&&document.createElement(`link`).relList;return e&&e.supports&&e.supports(`modulepreload`)?`modulepreload`:`preload`})(),oe=function(e){return`/`+e},se={},ce=function(e){return e.pathname.endsWith(`.css`)},le=function(e,t,n){if(t in e)return e[t];let r=n();if(!r){e[t]=void 0;return}let i=r.then(()=>{e[t]=void 0},n=>{throw e[t]=void 0,n});return e[t]=i,i},z=function(e,t,n){let r=Promise.resolve();if(t&&t.length>0){let e,i=document.querySelector(`meta[property=csp-nonce]`),a=i?.nonce||i?.getAttribute(`nonce`);function o(e){return Promise.all(e.map(e=>Promise.resolve(e).then(e=>({status:`fulfilled`,value:e}),e=>({status:`rejected`,reason:e}))))}function s(e){return import.meta.resolve?new URL(import.meta.resolve(e)):new URL(e,import.meta.url)}r=o(t.map(t=>{t=oe(t,n);let r=s(t),i=ce(r);return le(se,r.href,()=>{if(e===void 0){e={all:new Set,styles:new Set};let t=document.getElementsByTagName(`link`);for(let n=t.length-1;n>=0;n--){let r=t[n];e.all.add(r.href),r.rel===`stylesheet`&&e.styles.add(r.href)}}if((i?e.styles:e.all).has(r.href))return;let t=document.createElement(`link`);if(t.rel=i?`stylesheet`:ae,i||(t.as=`script`),t.crossOrigin=``,t.href=r.href,a&&t.setAttribute(`nonce`,a),document.head.appendChild(t),i)return new Promise((e,n)=>{let i=a=>{t.removeEventListener(`load`,i),t.removeEventListener(`error`,i),a.type===`error`?n(Error(`Unable to preload CSS for ${r}`)):e(a)};t.addEventListener(`load`,i),t.addEventListener(`error`,i)})})}).filter(e=>e!==void 0))}function i(e){let t=new Event(`vite:preloadError`,{cancelable:!0});if(t.payload=e,window.dispatchEvent(t),!t.defaultPrevented)throw e}return r.then(t=>{for(let e of t||[])e.status===`rejected`&&i(e.reason);return e().catch(i)})},ue={en:`English`,de:`Deutsch`,fr:`Français`,es:`Español`,"pt-BR":`Português (Brasil)`,ja:`日本語`,zh:`简体中文`},de=`safelight.language`,fe=Object.assign({"./de.json":()=>z(()=>import(`./de-BTHKA_IT.js`).then(e=>e.default),[]),"./en.json":()=>z(()=>import(`./en-BdHWcR4z.js`).then(e=>e.default),[]),"./es.json":()=>z(()=>import(`./es-CKisx4UN.js`).then(e=>e.default),[]),"./fr.json":()=>z(()=>import(`./fr-DYGkP3ey.js`).then(e=>e.default),[]),"./ja.json":()=>z(()=>import(`./ja-lDsErLYb.js`).then(e=>e.default),[]),"./pt-BR.json":()=>z(()=>import(`./pt-BR-BTvf4tyo.js`).then(e=>e.default),[]),"./zh.json":()=>z(()=>import(`./zh-CUNT9uTD.js`).then(e=>e.default),[])}),B=new class{#e=O({});#t=O(`en`);#n=new Intl.PluralRules(`en`);get current(){return m(this.#t)}async use(e,t=!1){P(this.#e,await fe[`./${e}.json`]()),P(this.#t,e,!0),this.#n=new Intl.PluralRules(e),document.documentElement.lang=e,t&&localStorage.setItem(de,e)}text(e,t){let n=m(this.#e)[e];return n===void 0?e:pe(typeof n==`string`?n:n[this.#n.select(Number(t.n))]??n.other??e,t,m(this.#t))}};function V(e,t={}){return B.text(e,t)}function pe(e,t,n){return e.replace(/\{(\w+)\}/g,(e,r)=>{let i=t[r];return i===void 0?e:typeof i==`number`?new Intl.NumberFormat(n).format(i):i})}function me(e=localStorage.getItem(de),t=navigator.languages){if(e&&e in ue)return e;for(let e of t){let t=e.toLowerCase().split(`-`)[0],n=Object.keys(ue).find(n=>n.toLowerCase()===e.toLowerCase()||n.toLowerCase().split(`-`)[0]===t);if(n)return n}return`en`}var H=new class{#e=O(I(location.pathname));get path(){return m(this.#e)}set path(e){P(this.#e,e,!0)}#t=O(I(location.hash));get hash(){return m(this.#t)}set hash(e){P(this.#t,e,!0)}query=new re(location.search);read(){this.path=location.pathname,this.hash=location.hash;let e=new URLSearchParams(location.search);for(let t of[...this.query.keys()])e.has(t)||this.query.delete(t);for(let[t,n]of e)this.query.get(t)!==n&&this.query.set(t,n)}},he=location.href,ge=new Set;function _e(e){return ge.add(e),()=>ge.delete(e)}function U(e,t={}){new URL(e,location.href).pathname!==location.pathname&&[...ge].some(e=>!e())||(history[t.replace?`replaceState`:`pushState`]({inside:!0},``,e),he=location.href,H.read())}function ve(e){history.state?.inside?history.back():U(e,{replace:!0})}function ye(e,t={}){let n=new URLSearchParams(location.search);for(let[t,r]of Object.entries(e))r===null||r===``?n.delete(t):n.set(t,r);let r=n.toString();history[t.push?`pushState`:`replaceState`](history.state,``,location.pathname+(r?`?${r}`:``)+location.hash),he=location.href,H.read()}function be(e){let t=t=>{if(t.defaultPrevented||t.button!==0||t.metaKey||t.ctrlKey||t.shiftKey||t.altKey)return;let n=t.target?.closest?.(`a`);n&&!n.target&&!n.hasAttribute(`download`)&&n.origin===location.origin&&e(n.pathname)&&(t.preventDefault(),n.href!==location.href&&U(n.pathname+n.search+n.hash))},n=()=>{let e=location.href;if(location.pathname!==H.path&&[...ge].some(e=>!e()))return history.pushState({inside:!0},``,he);he=e,H.read()};return document.addEventListener(`click`,t),addEventListener(`popstate`,n),()=>{document.removeEventListener(`click`,t),removeEventListener(`popstate`,n)}}var W=class extends Error{code;field;retryAfter;constructor(e,t,n,r){super(t),this.code=e,this.field=n,this.retryAfter=r,this.name=`ApiError`}};function xe(e){let[t]=e;if(t)throw new W(t.code,t.message,t.field)}async function G(e,t,n={}){let r=await Se(`/api/graphql`,JSON.stringify({query:String(e),variables:t}),n),[i]=r.errors??[];if(i)throw new W(i.extensions?.code??`INTERNAL`,i.message,i.extensions?.field);return r.data}async function K(e,t,n={}){return await Se(e,JSON.stringify(t),{...n,token:n.token??``})}async function Se(e,t,n){let r=n.token??J.token,i={Accept:`application/json`};t!==void 0&&(i[`Content-Type`]=`application/json`),r&&(i.Authorization=`Bearer ${r}`);let a;try{a=await fetch(e,{method:t===void 0?`GET`:`POST`,headers:i,body:t,signal:n.signal,credentials:`omit`,cache:`no-store`})}catch(e){throw n.signal?.aborted?e:new W(`OFFLINE`,`The server does not answer.`)}if(a.status===204)return;let o=await a.json().catch(()=>({}));if(a.ok)return o;throw Ce(a,o,r)}function Ce(e,t,n){let[r]=t.errors??[],i=t.error??r?.extensions?.code??`INTERNAL`;i===`UNAUTHENTICATED`&&n&&J.refused(n);let a=Number(e.headers.get(`Retry-After`))||void 0;return new W(i,t.message??r?.message??e.statusText,t.field??r?.extensions?.field,a)}async function we(){return await Se(`/api/auth/options`,void 0,{token:``})}var Te=.6;function Ee(e){return Math.min(e.issuedAt+(e.expiresAt-e.issuedAt)*Te,e.expiresAt-6e4)}var q=`safelight.session`,De=2**31-1,Oe=class{#e=O(ke());#t;get token(){return m(this.#e)?.token??``}get user(){return m(this.#e)?.user??null}get mayEdit(){return this.user?.role===`admin`||this.user?.role===`user`}get mayAdminister(){return this.user?.role===`admin`}start(){addEventListener(`storage`,e=>{(e.key===q||e.key===null)&&this.#i(ke())}),addEventListener(`visibilitychange`,()=>this.#a()),this.#a()}async login(e,t){this.#n(await K(`/api/auth/login`,{username:e,password:t}))}async guest(){this.#n(await K(`/api/auth/guest`,{}))}async register(e){this.#n(await K(`/api/auth/register`,e))}async logout(){let e=this.token;this.forget(),e&&await K(`/api/auth/logout`,{},{token:e}).catch(()=>void 0)}forget(){localStorage.removeItem(q),this.#i(null)}refused(e){let t=ke();t&&t.token!==e?this.#i(t):this.forget()}rename(e){let t=m(this.#e);t&&this.#r({...t,user:{...t.user,displayName:e}})}#n(e){let t=Date.now();this.#r({token:e.token,issuedAt:t,expiresAt:t+e.expiresIn*1e3,user:e.user})}#r(e){localStorage.setItem(q,JSON.stringify(e)),this.#i(e)}#i(e){P(this.#e,e),this.#a()}#a(){clearTimeout(this.#t);let e=m(this.#e);if(!e)return;let t=Math.max(0,Ee(e)-Date.now());this.#t=setTimeout(()=>t>De?this.#a():void this.#o(),Math.min(t,De))}async#o(){let e=async()=>{let e=ke();if(!e||Ee(e)>Date.now())return this.#i(e);try{this.#n(await K(`/api/auth/refresh`,{token:e.token}))}catch(t){t instanceof W&&t.code===`UNAUTHENTICATED`?this.refused(e.token):this.#t=setTimeout(()=>void this.#o(),3e4)}};navigator.locks?await navigator.locks.request(q,e):await e()}};function ke(){try{let e=JSON.parse(localStorage.getItem(q)??`null`);return e&&e.expiresAt>Date.now()?e:null}catch{return null}}var J=new Oe,Ae=`M20 6 9 17l-5-5`,je=`M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0M12 8L12 12M12 16L12.01 16`,Me=`M18 6 6 18M6 6l12 12`,Ne=v(`<svg viewBox="0 0 24 24" aria-hidden="true"><path></path></svg>`);function Y(e,r){let i=F(r,`size`,3,18),a=F(r,`fill`,3,!1);var o=Ne();let s;var c=w(o);k(()=>{E(o,`width`,i()),E(o,`height`,i()),s=n(o,0,`svelte-123hemx`,null,s,{fill:a()}),E(c,`d`,r.path)}),t(e,o)}var Pe={done:6e3,note:8e3,error:1e4},X=new class{#e=O(I([]));get list(){return m(this.#e)}set list(e){P(this.#e,e,!0)}#t=1;#n=new Map;show(e,t,n){let r=this.#t++;return this.list=[...this.list.slice(-2),{id:r,kind:e,text:t,action:n}],this.#r(r,e),r}close(e){this.list=this.list.filter(t=>t.id!==e),clearTimeout(this.#n.get(e)),this.#n.delete(e)}hold(){for(let e of this.#n.values())clearTimeout(e)}release(){for(let e of this.list)this.#r(e.id,e.kind)}#r(e,t){clearTimeout(this.#n.get(e)),this.#n.set(e,setTimeout(()=>this.close(e),Pe[t]))}},Fe=c(`<button class="act svelte-d8zspq"> </button>`),Ie=c(`<div><!> <span class="grow"> </span> <!> <button class="close svelte-d8zspq"><!></button></div>`),Le=c(`<div class="toasts svelte-d8zspq" role="status" aria-live="polite"></div>`);function Re(e,i){r(i,!0);async function o(e){X.close(e.id),await e.action?.run()}var s=Le();A(s,21,()=>X.list,e=>e.id,(e,r)=>{var i=Ie(),s=M(i);{let e=S(()=>m(r).kind===`done`?Ae:je);Y(s,{get path(){return m(e)}})}var c=T(s,2),l=w(c,!0),u=T(c,2),f=e=>{var n=Fe(),i=w(n,!0);k(()=>d(i,m(r).action.label)),L(`click`,n,()=>o(m(r))),t(e,n)};p(u,e=>{m(r).action&&e(f)});var h=T(u,2);Y(M(h),{get path(){return Me},size:16}),a(h),a(i),k(e=>{n(i,1,`toast ${m(r).kind??``}`,`svelte-d8zspq`),d(l,m(r).text),E(h,`aria-label`,e)},[()=>V(`ui.close`)]),L(`click`,h,()=>X.close(m(r).id)),t(e,i)}),a(s),l(`pointerenter`,s,()=>X.hold()),l(`pointerleave`,s,()=>X.release()),L(`focusin`,s,()=>X.hold()),L(`focusout`,s,()=>X.release()),t(e,s),g()}u([`focusin`,`focusout`,`click`]);function ze(e,t){let n=e.split(`/`).slice(1),r=t.replace(/\/+$/,``).split(`/`).slice(1),i={};for(let[e,t]of n.entries()){if(t.startsWith(`*`))return i[t.slice(1)]=r.slice(e).map(Ve).join(`/`),i;let n=r[e]??``;if(t.startsWith(`:`)){if(!n)return null;i[t.slice(1)]=Ve(n)}else if(t!==n)return null}return r.length>n.length?null:i}function Be(e){return e.split(`/`).map(encodeURIComponent).join(`/`)}function Ve(e){try{return decodeURIComponent(e)}catch{return e}}var He=`M9 18l6-6-6-6`,Ue=`M20 20a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-7.9a2 2 0 0 1-1.69-.9L9.6 3.9A2 2 0 0 0 7.93 3H4a2 2 0 0 0-2 2v13a2 2 0 0 0 2 2Z`,We=`M6 14l1.5-2.9A2 2 0 0 1 9.24 10H20a2 2 0 0 1 1.94 2.5l-1.54 6a2 2 0 0 1-1.95 1.5H4a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h3.9a2 2 0 0 1 1.69.9l.81 1.2a2 2 0 0 0 1.67.9H18a2 2 0 0 1 2 2v2`,Z=class extends String{__apiType;value;__meta__;constructor(e,t){super(e),this.value=e,this.__meta__=t}toString(){return this.value}};new Z(`
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
    query FolderFace($folder: String!) {
  files(folder: $folder, recursive: true, sort: MODIFIED, order: DESC, first: 4) {
    totalCount
    nodes {
      id
      thumb: url(
        operations: {width: 80, height: 80, smart: true, filters: [{name: "format", args: "webp"}]}
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
    `);var Ge=`query Files($folder:String!$recursive:Boolean!$filter:FileFilter$search:String$sort:FileSort!$order:SortOrder!$first:Int!$after:String$count:Boolean!){files(folder:$folder recursive:$recursive filter:$filter search:$search sort:$sort order:$order first:$first after:$after){totalCount@include(if:$count)nodes{...Tile}pageInfo{hasNextPage endCursor}}}fragment Tile on File{id path name size modifiedAt takenAt type metadata width height pages dominantColor thumbHash tags focalPoint{x y}small:url(operations:{height:240 filters:[{name:"format" args:"webp"}]})medium:url(operations:{height:480 filters:[{name:"format" args:"webp"}]})large:url(operations:{height:960 filters:[{name:"format" args:"webp"}]})}`,Ke=`query Folders($folder:String!$after:String){folders(folder:$folder first:100 after:$after){nodes{id path name}pageInfo{hasNextPage endCursor}}}`,qe=`query FolderFace($folder:String!){files(folder:$folder recursive:true sort:MODIFIED order:DESC first:4){totalCount nodes{id thumb:url(operations:{width:80 height:80 smart:true filters:[{name:"format" args:"webp"}]})}}}`,Je=`query Tags{tags{name count}}`,Ye=`mutation TagFiles($input:TagFilesInput!){tagFiles(input:$input){results{path ok error{code message}}userErrors{code message field}}}`,Xe=`mutation TrashFiles($input:TrashFilesInput!){trashFiles(input:$input){results{path ok trashed{id}error{code message}}userErrors{code message field}}}`,Ze=`mutation RestoreFiles($input:RestoreFilesInput!){restoreFiles(input:$input){results{id ok error{code message}}userErrors{code message field}}}`,Qe=`mutation MoveFiles($input:MoveFilesInput!){moveFiles(input:$input){results{path ok file{path}error{code message}}userErrors{code message field}}}`,$e=`mutation CopyFiles($input:CopyFilesInput!){copyFiles(input:$input){results{path ok error{code message}}userErrors{code message field}}}`,et=`mutation CreateFolder($path:String!){createFolder(path:$path)}`,Q=new class{#e=new te;#t=new Map;children(e){return this.#e.get(e)}load(e){return this.#e.has(e)?Promise.resolve():this.reload(e)}reload(e){let t=this.#t.get(e);if(t)return t;let n=this.#n(e).finally(()=>this.#t.delete(e));return this.#t.set(e,n),n}clear(){this.#e.clear()}async#n(e){let t=[];for(let n=null;;){let{folders:r}=await G(Ke,{folder:e,after:n});if(t.push(...r?.nodes??[]),n=r?.pageInfo.endCursor??null,!r?.pageInfo.hasNextPage||!n)break}this.#e.set(e,t)}},tt=e=>e.slice(0,Math.max(0,e.lastIndexOf(`/`))),nt=e=>e.slice(e.lastIndexOf(`/`)+1),rt=(e,t)=>e?`${e}/${t}`:t,it=e=>e?e.split(`/`).map((e,t,n)=>n.slice(0,t+1).join(`/`)):[],at=`safelight.gallery`,$=new class{#e=O(`justified`);get view(){return m(this.#e)}set view(e){P(this.#e,e,!0)}#t=O(200);get size(){return m(this.#t)}set size(e){P(this.#t,e,!0)}#n=O(I([]));get open(){return m(this.#n)}set open(e){P(this.#n,e,!0)}constructor(){try{let e=JSON.parse(localStorage.getItem(at)??`{}`);e.view&&[`justified`,`square`,`list`].includes(e.view)&&(this.view=e.view),typeof e.size==`number`&&(this.size=Math.min(400,Math.max(96,e.size))),Array.isArray(e.open)&&(this.open=e.open.filter(e=>typeof e==`string`).slice(0,200))}catch{}}keep(){localStorage.setItem(at,JSON.stringify({view:this.view,size:this.size,open:this.open}))}},ot=c(`<ul role="group" class="svelte-ccbhws"></ul>`),st=c(`<li role="none"><div role="treeitem"><span><!></span> <!> <span class="clip"> </span></div> <!></li>`);function ct(e,i){r(i,!0);let o=S(()=>$.open.includes(i.folder.path)),s=S(()=>Q.children(i.folder.path)),c=S(()=>i.at===i.folder.path);C(()=>{Q.load(i.folder.path).catch(()=>void 0)});function u(){$.open=m(o)?$.open.filter(e=>e!==i.folder.path&&!e.startsWith(`${i.folder.path}/`)):[...$.open,i.folder.path],$.keep()}var f=st(),_=M(f);let v,y;var b=M(_);let x;Y(M(b),{get path(){return He},size:12}),a(b);var D=T(b,2);{let e=S(()=>m(o)&&m(s)?.length?We:Ue);Y(D,{get path(){return m(e)}})}var O=T(D,2),ee=w(O,!0);a(_);var j=T(_,2),N=e=>{var n=ot();A(n,21,()=>m(s),e=>e.path,(e,t)=>{{let n=S(()=>i.depth+1);ct(e,{get folder(){return m(t)},get depth(){return m(n)},get at(){return i.at},get go(){return i.go},entry:!1})}}),a(n),t(e,n)};p(j,e=>{m(o)&&m(s)?.length&&e(N)}),a(f),k(()=>{E(_,`aria-level`,i.depth+1),E(_,`tabindex`,m(c)||i.entry?0:-1),E(_,`aria-selected`,m(c)),E(_,`aria-expanded`,m(s)?.length?m(o):void 0),E(_,`data-path`,i.folder.path),v=n(_,1,`row svelte-ccbhws`,null,v,{on:m(c)}),y=h(_,``,y,{"padding-left":`${i.depth*16+4}px`}),x=n(b,1,`twist svelte-ccbhws`,null,x,{open:m(o),none:!m(s)?.length}),E(O,`title`,i.folder.name),d(ee,i.folder.name)}),l(`toggle`,_,u),L(`click`,_,()=>i.go(i.folder.path)),L(`click`,b,e=>{e.stopPropagation(),u()}),t(e,f),g()}u([`click`]);var lt=c(`<h3 class="svelte-1adg88"> </h3>`),ut=c(`<li role="treeitem" data-path=""> </li>`),dt=c(`<!> <ul role="tree" class="svelte-1adg88"><!> <!></ul>`,1);function ft(e,i){r(i,!0);let o=F(i,`label`,19,()=>V(`nav.folders`)),s=S(()=>i.chosen??(H.path.startsWith(`/f/`)?decodeURIComponent(H.path.slice(3)):``)),c=S(()=>Q.children(``)),l=e=>i.onchoose?i.onchoose(e):U(`/f/${Be(e)}`);C(()=>{Q.load(``).catch(()=>void 0);for(let e of it(m(s)).slice(0,-1))$.open.includes(e)||($.open=[...$.open,e])});function u(e){let t=[...e.currentTarget.querySelectorAll(`[role=treeitem]`)],n=e.target.closest(`[role=treeitem]`),r=n?t.indexOf(n):-1,i=n?.getAttribute(`aria-expanded`),a;if(e.key===`ArrowDown`)a=t[r+1];else if(e.key===`ArrowUp`)a=t[r-1];else if(e.key===`Home`)a=t[0];else if(e.key===`End`)a=t.at(-1);else if(e.key===`ArrowRight`&&n)i===`false`?n.dispatchEvent(new CustomEvent(`toggle`)):a=t[r+1];else if(e.key===`ArrowLeft`&&n)i===`true`?n.dispatchEvent(new CustomEvent(`toggle`)):a=t.slice(0,r).findLast(e=>Number(e.ariaLevel)<Number(n.ariaLevel));else if((e.key===`Enter`||e.key===` `)&&n)l(n.dataset.path);else return;e.preventDefault(),e.stopPropagation(),a?.focus()}var f=y(),h=R(f),_=e=>{var r=dt(),f=R(r),h=e=>{var n=lt(),r=w(n,!0);k(()=>d(r,o())),t(e,n)};p(f,e=>{i.onchoose||e(h)});var g=T(f,2),_=M(g),v=e=>{var r=ut();let i;var a=w(r,!0);k(e=>{E(r,`tabindex`,m(s)===``?0:-1),E(r,`aria-selected`,m(s)===``),i=n(r,1,`root svelte-1adg88`,null,i,{on:m(s)===``}),d(a,e)},[()=>V(`nav.library`)]),L(`click`,r,()=>l(``)),L(`keydown`,r,()=>void 0),t(e,r)};p(_,e=>{i.onchoose&&e(v)});var y=T(_,2);A(y,19,()=>m(c)??[],e=>e.path,(e,t,n)=>{{let r=S(()=>!i.onchoose&&m(n)===0&&!m(c)?.some(e=>m(s)===e.path||m(s).startsWith(`${e.path}/`)));ct(e,{get folder(){return m(t)},depth:0,get at(){return m(s)},go:l,get entry(){return m(r)}})}}),a(g),k(()=>E(g,`aria-label`,o())),L(`keydown`,g,u),t(e,r)};p(h,e=>{(m(c)?.length||i.onchoose)&&e(_)}),t(e,f),g()}u([`keydown`,`click`]);var pt=`mutation CreateUpload($input:CreateUploadInput!){createUpload(input:$input){upload{id url}userErrors{code message field}}}`,mt=`mutation FinishUpload($input:FinishUploadInput!){finishUpload(input:$input){file{path}userErrors{code message field}}}`,ht=`mutation CancelUpload($input:CancelUploadInput!){cancelUpload(input:$input){userErrors{code message field}}}`,gt=3,_t=8<<20,vt=[500,1e3,3e3,5e3,1e4,2e4],yt=class{id;file;path;#e=O(`waiting`);get state(){return m(this.#e)}set state(e){P(this.#e,e,!0)}#t=O(0);get sent(){return m(this.#t)}set sent(e){P(this.#t,e,!0)}#n=O(``);get reason(){return m(this.#n)}set reason(e){P(this.#n,e,!0)}preview;policy=`ERROR`;#r=null;#i=null;constructor(e,t,n){this.id=e,this.file=t,this.path=n,this.preview=/^image\/(jpeg|png|webp|gif|avif)$/.test(t.type)&&t.size<3e7?URL.createObjectURL(t):``}async run(){this.state=`sending`,this.reason=``;try{this.#r?await this.#s(this.#r):await this.#o();let{finishUpload:e}=await G(mt,{input:{id:this.#i}});xe(e?.userErrors??[]),this.state=`done`}catch(e){if(this.#a)return;let t=e instanceof W&&e.code===`CONFLICT`;t&&(this.#r=null),this.state=t?`conflict`:`failed`,this.reason=e instanceof Error?e.message:String(e)}}get#a(){return this.state===`paused`}async#o(){let{createUpload:e}=await G(pt,{input:{path:this.path,contentType:this.file.type.startsWith(`image/`)?this.file.type:`application/octet-stream`,sizeBytes:this.file.size,onConflict:this.policy}});xe(e?.userErrors??[]);let{id:t,url:n}=e.upload;this.#i=t;let{Upload:r}=await z(async()=>{let{Upload:e}=await import(`./browser-DpflrsUw.js`);return{Upload:e}},[]);this.#r=new r(this.file,{uploadUrl:new URL(n,location.href).href,chunkSize:_t,retryDelays:vt,storeFingerprintForResuming:!1,onProgress:e=>this.sent=e}),await this.#s(this.#r)}#s(e){return new Promise((t,n)=>{e.options.onSuccess=()=>t(),e.options.onError=n,this.#c=()=>n(Error(`paused`)),e.start()})}#c=()=>void 0;pause(){this.state===`waiting`&&(this.state=`paused`),this.state===`sending`&&(this.state=`paused`,this.#r?.abort(),this.#c())}cancel(){this.pause(),this.#i&&this.state!==`done`&&G(ht,{input:{id:this.#i}}).catch(()=>void 0),this.preview&&URL.revokeObjectURL(this.preview)}},bt=new class{#e=O([]);get list(){return m(this.#e)}set list(e){P(this.#e,e)}#t=new te;#n=1;add(e,t){t.length&&(this.list=[...this.list,...t.map(({file:t,path:n})=>new yt(this.#n++,t,rt(e,n)))],this.#r())}finishedIn(e){return this.#t.get(e)??0}get done(){return this.list.filter(e=>e.state===`done`).length}get running(){return this.list.some(e=>e.state===`sending`||e.state===`waiting`)}get bytes(){let e=this.list.reduce((e,t)=>e+t.file.size,0);return{sent:this.list.reduce((e,t)=>e+(t.state===`done`?t.file.size:t.sent),0),all:e}}retry(e,t){t&&(e.policy=t),e.state=`waiting`,this.#r()}resolveAll(e){for(let t of this.list.filter(e=>e.state===`conflict`))e?this.retry(t,e):this.drop(t)}pauseAll(){for(let e of this.list)e.pause()}resumeAll(){for(let e of this.list)(e.state===`paused`||e.state===`failed`)&&(e.state=`waiting`);this.#r()}drop(e){e.cancel(),this.list=this.list.filter(t=>t!==e),this.#r()}clear(){for(let e of this.list)e.cancel();this.list=[]}#r(){let e=gt-this.list.filter(e=>e.state===`sending`).length;for(let t of this.list.filter(e=>e.state===`waiting`).slice(0,Math.max(0,e)))t.run().then(()=>{this.#r(),t.state===`done`&&this.#o(t.path)})}#i=new Set;#a;#o(e){for(let t=tt(e);this.#i.add(t),t;t=tt(t));clearTimeout(this.#a),this.#a=setTimeout(()=>{for(let e of this.#i)this.#t.set(e,this.finishedIn(e)+1),Q.reload(e).catch(()=>void 0);this.#i.clear()},600)}},xt=`M17.925 20.056a6 6 0 0 0-11.851.001M8 11a4 4 0 1 0 8 0a4 4 0 1 0 -8 0M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0`,St=`M22 11l-1.296-1.296a2.4 2.4 0 0 0-3.408 0L11 16M4 8a2 2 0 0 0-2 2v10a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2M12 7a1 1 0 1 0 2 0a1 1 0 1 0 -2 0M10 2h10a2 2 0 0 1 2 2v10a2 2 0 0 1 -2 2h-10a2 2 0 0 1 -2 -2v-10a2 2 0 0 1 2 -2z`,Ct=`M21 21l-4.34-4.34M3 11a8 8 0 1 0 16 0a8 8 0 1 0 -16 0`,wt=`M10 11v6M14 11v6M19 6v14a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V6M3 6h18M8 6V4a2 2 0 0 1 2-2h4a2 2 0 0 1 2 2v2`,Tt=[{href:`/`,label:`nav.library`,icon:St,place:`top`,tab:!0,lit:e=>e===`/`||e.startsWith(`/f/`)},{href:`/search`,label:`nav.search`,icon:Ct,place:`top`,tab:!0},{href:`/trash`,label:`nav.trash`,icon:wt,place:`bottom`,role:`edit`,tab:!0},{href:`/me`,label:`nav.account`,icon:xt,place:`bottom`,tab:!0}],Et=c(`<a><!><span class="clip svelte-1ic85nn"> </span></a>`),Dt=c(`<div class="app svelte-1ic85nn"><a class="skip svelte-1ic85nn" href="#main"> </a> <header class="side svelte-1ic85nn"><a class="brand svelte-1ic85nn" href="/"><span class="lamp svelte-1ic85nn"></span>Safelight</a> <nav class="svelte-1ic85nn"><!></nav> <nav class="folders svelte-1ic85nn"><!></nav> <nav class="svelte-1ic85nn"><!></nav></header> <main id="main" tabindex="-1" class="svelte-1ic85nn"><!></main> <nav class="tabs svelte-1ic85nn"></nav></div> <!>`,1);function Ot(s,c){r(c,!0);let l=(e,r=i)=>{var o=y(),s=R(o);A(s,17,()=>m(u).filter(e=>e.place===r()),e=>e.href,(e,r)=>{let i=S(()=>h(m(r))&&(m(r).href!==`/`||H.path===`/`));var o=Et();let s;var c=M(o);Y(c,{get path(){return m(r).icon}});var l=T(c),u=w(l,!0);a(o),k(e=>{E(o,`href`,m(r).href),E(o,`aria-current`,m(i)?`page`:void 0),s=n(o,1,`svelte-1ic85nn`,null,s,{on:m(i)}),d(u,e)},[()=>_(m(r))]),t(e,o)}),t(e,o)},u=S(()=>Tt.filter(e=>!e.role||(e.role===`admin`?J.mayAdminister:J.mayEdit))),f=S(()=>m(u).filter(e=>e.tab).slice(0,5)),h=e=>e.lit?e.lit(H.path):H.path===e.href||H.path.startsWith(`${e.href}/`),_=e=>e.href===`/me`?J.user?.displayName??V(e.label):V(e.label);var v=Dt(),b=R(v),x=M(b),C=w(x,!0),D=T(x,2),O=T(M(D),2);l(M(O),()=>`top`),a(O);var j=T(O,2);ft(M(j),{}),a(j);var N=T(j,2);l(M(N),()=>`bottom`),a(N),a(D);var P=T(D,2),te=M(P);e(te,()=>c.children),a(P);var F=T(P,2);A(F,21,()=>m(f),e=>e.href,(e,r)=>{var i=Et();let o;var s=M(i);Y(s,{get path(){return m(r).icon},size:22});var c=T(s),l=w(c,!0);a(i),k((e,t,a)=>{E(i,`href`,m(r).href),E(i,`aria-current`,e),o=n(i,1,`svelte-1ic85nn`,null,o,{on:t}),d(l,a)},[()=>h(m(r))?`page`:void 0,()=>h(m(r)),()=>_(m(r))]),t(e,i)}),a(F),a(b);var I=T(b,2),L=e=>{var n=y(),r=R(n);o(r,()=>z(()=>import(`./Tray-sAEHgx3p.js`),__vite__mapDeps([0,1,2,3])),null,(e,n)=>{var r=S(()=>{var{default:e}=m(n);return{Tray:e}}),i=S(()=>m(r).Tray),a=y(),o=R(a);ee(o,()=>m(i),(e,t)=>{t(e,{})}),t(e,a)}),t(e,n)};p(I,e=>{bt.list.length&&e(L)}),k((e,t,n,r,i)=>{d(C,e),E(O,`aria-label`,t),E(j,`aria-label`,n),E(N,`aria-label`,r),E(F,`aria-label`,i)},[()=>V(`app.skip`),()=>V(`nav.main`),()=>V(`nav.folders`),()=>V(`nav.more`),()=>V(`nav.main`)]),t(s,v),g()}var kt=new Set([`$$slots`,`$$events`,`$$legacy`,`kind`,`icon`,`label`,`on`,`busy`,`type`,`element`,`children`,`disabled`,`href`]),At=c(`<span class="spin svelte-1j8p21y"></span>`),jt=c(`<!><!>`,1);function Mt(n,a){r(a,!0);let o=F(a,`kind`,3,`plain`),s=F(a,`busy`,3,!1),c=F(a,`type`,3,`button`),l=F(a,`element`,15,null),u=ne(a,kt);var d=y(),m=R(d);f(m,()=>a.href===void 0?`button`:`a`,!1,(n,r)=>{j(n,e=>l(e),()=>l()),N(n,()=>({href:a.href,type:a.href===void 0?c():void 0,class:[`btn`,o(),{square:!a.children,on:a.on}],"aria-label":a.label,"aria-pressed":a.on===void 0?void 0:a.on,"aria-busy":s()||void 0,title:a.children?void 0:a.label,disabled:a.href===void 0?a.disabled||s():void 0,...u}),void 0,void 0,void 0,`svelte-1j8p21y`);var d=jt(),f=R(d),m=e=>{var n=At();t(e,n)},h=e=>{Y(e,{get path(){return a.icon}})};p(f,e=>{s()?e(m):a.icon&&e(h,1)});var g=T(f);e(g,()=>a.children??i),t(r,d)}),t(n,d),g()}var Nt=c(`<p class="meta svelte-1mkf5dt"> </p>`),Pt=c(`<section class="svelte-1mkf5dt"><h1> </h1> <!> <!></section>`);function Ft(e,n){r(n,!0);var i=Pt(),o=M(i),c=w(o,!0),l=T(o,2),u=e=>{var r=Nt(),i=w(r,!0);k(()=>d(i,n.text)),t(e,r)};p(l,e=>{n.text&&e(u)});var f=T(l,2),m=e=>{Mt(e,{get href(){return n.action.href},get onclick(){return n.action.run},children:(e,r)=>{_();var i=s();k(()=>d(i,n.action.label)),t(e,i)},$$slots:{default:!0}})};p(f,e=>{n.action&&e(m)}),a(i),k(()=>d(c,n.title)),t(e,i),g()}var It=()=>z(()=>import(`./Gallery-oNRAxQSn.js`),__vite__mapDeps([4,1,5,2,6,7,8,9,10,11,12,13,14,15,16,17,18])),Lt=[{pattern:`/login`,page:()=>z(()=>import(`./Login-Bz45w7RG.js`),__vite__mapDeps([19,1,16,17,20,21,22])),bare:!0,open:!0},{pattern:`/setup`,page:()=>z(()=>import(`./Setup-DZumLLnP.js`),__vite__mapDeps([23,1,16,17,20,21,22])),bare:!0,open:!0},{pattern:`/`,page:It,group:`gallery`},{pattern:`/f/*folder`,page:It,group:`gallery`},{pattern:`/search`,page:()=>z(()=>import(`./Search-V7nhRK4U.js`),__vite__mapDeps([24,1,5,2,6,7,8,9,10,11,12,13,25]))},{pattern:`/i/*file`,page:()=>z(()=>import(`./Viewer-rAFMwPeq.js`),__vite__mapDeps([26,1,2,11,27,12,28])),bare:!0,group:`viewer`},{pattern:`/edit/*file`,page:()=>z(()=>import(`./Editor-DHlb4IAr.js`),__vite__mapDeps([29,1,2,6,7,8,30,9,10,31,32,33])),bare:!0,role:`edit`,group:`editor`},{pattern:`/trash`,page:()=>z(()=>import(`./Trash-mJ_wiaaz.js`),__vite__mapDeps([34,1,2,11,14,7,15,35])),role:`edit`},{pattern:`/me`,page:()=>z(()=>import(`./Me-DM73DXDO.js`),__vite__mapDeps([36,1,16,17,20,37]))}];function Rt(e){for(let t of Lt){let n=ze(t.pattern,e);if(n)return{route:t,params:n}}return null}var zt=c(`<!> <!>`,1);function Bt(e,n){r(n,!0);let i=e=>{var n=y(),r=R(n),i=e=>{{let t=S(()=>V(`app.notFound`)),n=S(()=>V(`app.notFoundText`)),r=S(()=>({label:V(`app.toLibrary`),href:`/`}));Ft(e,{get title(){return m(t)},get text(){return m(n)},get action(){return m(r)}})}},o=e=>{{let t=S(()=>V(`app.notAllowed`)),n=S(()=>V(`app.notAllowedText`)),r=S(()=>({label:V(`app.toLibrary`),href:`/`}));Ft(e,{get title(){return m(t)},get text(){return m(n)},get action(){return m(r)}})}},d=e=>{{let t=S(()=>V(`app.failed`)),n=S(()=>V(`app.failedText`)),r=S(()=>({label:V(`app.reload`),run:()=>location.reload()}));Ft(e,{get title(){return m(t)},get text(){return m(n)},get action(){return m(r)}})}},f=e=>{let n=S(()=>m(c).page);var r=y(),i=R(r);ee(i,()=>m(n),(e,t)=>{t(e,{get params(){return m(a).params}})}),t(e,r)};p(r,e=>{m(a)?m(s)?m(l)?e(d,2):m(c)?.key===m(u)&&e(f,3):e(o,1):e(i)}),t(e,n)},a=S(()=>Rt(H.path)),o=S(()=>!m(a)||m(a).route.open||J.user!==null),s=S(()=>!m(a)?.route.role||(m(a).route.role===`admin`?J.mayAdminister:J.mayEdit));C(()=>{if(m(o))return;let e=location.pathname+location.search;U(e===`/`?`/login`:`/login?next=${encodeURIComponent(e)}`,{replace:!0})});let c=O(null),l=O(!1),u=S(()=>m(a)?m(a).route.group??m(a).route.pattern:``);C(()=>{let e=m(a)?.route;if(!e||!m(o)||m(c)?.key===m(u))return;let t=m(u);P(l,!1),e.page().then(e=>t===m(u)&&P(c,{page:e.default,key:t}),()=>t===m(u)&&P(l,!0))});var d=zt(),f=R(d),h=e=>{var n=y(),r=R(n),o=e=>{i(e)},s=e=>{Ot(e,{children:(e,t)=>{i(e)},$$slots:{default:!0}})},c=e=>{i(e)};p(r,e=>{m(a)?.route.bare?e(o):J.user?e(s,1):e(c,-1)}),t(e,n)};p(f,e=>{m(o)&&e(h)}),Re(T(f,2),{}),t(e,d),g()}var Vt=`safelight.theme`,Ht=class{#e=O(I(Ut(localStorage.getItem(Vt))));get choice(){return m(this.#e)}set choice(e){localStorage.setItem(Vt,e),this.#t(e)}start(){this.#t(m(this.#e)),addEventListener(`storage`,e=>e.key===Vt&&this.#t(Ut(e.newValue)))}#t(e){P(this.#e,e,!0),e===`system`?delete document.documentElement.dataset.theme:document.documentElement.dataset.theme=e}},Ut=e=>e===`dark`||e===`light`?e:`system`,Wt=new Ht,Gt=c(`<!><span class="only-read svelte-1qlbtbo"> </span>`,1),Kt=c(`<label><input type="radio" class="svelte-1qlbtbo"/> <!></label>`),qt=c(`<fieldset class="svelte-1qlbtbo"><legend class="only-read"> </legend> <!></fieldset>`);function Jt(e,i){let o=b();r(i,!0);var c=qt(),l=M(c),u=w(l,!0),f=T(l,2);A(f,17,()=>i.options,e=>e.value,(e,r)=>{var c=Kt();let l;var u=M(c);D(u);var f=T(u,2),h=e=>{var n=Gt(),i=R(n);Y(i,{get path(){return m(r).icon}});var a=T(i),o=w(a,!0);k(()=>d(o,m(r).label)),t(e,n)},g=e=>{var n=s();k(()=>d(n,m(r).label)),t(e,n)};p(f,e=>{m(r).icon?e(h):e(g,-1)}),a(c),k(()=>{E(c,`title`,m(r).icon?m(r).label:void 0),l=n(c,1,`svelte-1qlbtbo`,null,l,{icons:m(r).icon}),E(u,`name`,o),ie(u,m(r).value),x(u,i.value===m(r).value)}),L(`change`,u,()=>i.onchange(m(r).value)),t(e,c)}),a(c),k(()=>d(u,i.label)),t(e,c),g()}u([`change`]);var Yt=[`byte`,`kilobyte`,`megabyte`,`gigabyte`,`terabyte`];function Xt(e,t=B.current){let n=Math.min(Yt.length-1,e<1e3?0:Math.floor(Math.log10(e)/3)),r=e/1e3**n,i=n===0||r>=100?0:1;return new Intl.NumberFormat(t,{style:`unit`,unit:Yt[n],unitDisplay:`short`,maximumFractionDigits:i}).format(r)}function Zt(e){return new Intl.DateTimeFormat(B.current,{dateStyle:`medium`}).format(new Date(e))}function Qt(e){return new Intl.DateTimeFormat(B.current,{dateStyle:`medium`,timeStyle:`short`}).format(new Date(e))}var $t=[[`year`,31536e3],[`month`,2592e3],[`day`,86400],[`hour`,3600],[`minute`,60]];function en(e,t=Date.now()){let n=(new Date(e).getTime()-t)/1e3,r=new Intl.RelativeTimeFormat(B.current,{numeric:`auto`});for(let[e,t]of $t)if(Math.abs(n)>=t)return r.format(Math.trunc(n/t),e);return r.format(Math.trunc(n),`second`)}export{Ue as A,xe as B,Ge as C,Ye as D,Ze as E,Me as F,H as G,be as H,Ae as I,B as J,U as K,J as L,Be as M,X as N,Je as O,Y as P,z as Q,W as R,et as S,Qe as T,ve as U,G as V,_e as W,me as X,ue as Y,V as Z,rt as _,Jt as a,it as b,Rt as c,wt as d,Ct as f,Q as g,$ as h,en as i,He as j,Xe as k,Ft as l,ft as m,Zt as n,Wt as o,bt as p,ye as q,Qt as r,Bt as s,Xt as t,Mt as u,nt as v,qe as w,$e as x,tt as y,we as z};