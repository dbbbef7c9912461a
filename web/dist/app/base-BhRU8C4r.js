const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["app/Tray-BW7r0cYU.js","app/svelte-D3R31Vrc.js","app/icons-BrE7rAjg.js","app/Tray-hDriS0Wu.css","app/Gallery-1RE-ytPv.js","app/ViewControls-cegsIwvO.js","app/scroll-lock-B1R6N8U2.js","app/actions-Dv0G1bNa.js","app/placeholder-ZkzLhWfH.js","app/ViewControls-BXkpCoFL.css","app/Dialog-f7iSQBqM.js","app/Dialog-TTCPufAQ.css","app/Field-prrG9qcD.js","app/Field-_qwH4VwC.css","app/Gallery-BQYWkoHA.css","app/Login-CGR2wNHY.js","app/failure-DxLsP3KB.js","app/Gate-tiazM0so.js","app/Gate-BZbTBwxa.css","app/Setup-Cz93O4JG.js","app/Search-Da-c64Aw.js","app/Search-_GfEbZ_i.css","app/Viewer-DOmZMs0i.js","app/Viewer-BOYL3fNO.css","app/Trash-aZFa7UB7.js","app/Trash-DoIvAubA.css","app/Me-B5ARPbqO.js","app/Me-D3Vq-PQj.css"])))=>i.map(i=>d[i]);
import{B as e,Ct as t,D as n,E as r,G as i,H as a,L as o,M as s,O as c,P as l,R as u,St as d,T as f,U as p,V as m,W as h,Y as g,_,a as v,b as ee,c as y,ct as b,dt as x,ft as S,g as C,h as w,j as T,lt as E,m as D,mt as O,n as k,nt as A,o as te,ot as j,p as ne,st as M,t as re,tt as N,ut as P,vt as F,x as I,xt as ie,yt as L,z as R}from"./svelte-D3R31Vrc.js";var ae=(function(){let e=typeof document<`u`&&document.createElement(`link`).relList;return e&&e.supports&&e.supports(`modulepreload`)?`modulepreload`:`preload`})(),oe=function(e){return`/`+e},se={},ce=function(e){return e.pathname.endsWith(`.css`)},le=function(e,t,n){if(t in e)return e[t];let r=n();if(!r){e[t]=void 0;return}let i=r.then(()=>{e[t]=void 0},n=>{throw e[t]=void 0,n});return e[t]=i,i},z=function(e,t,n){let r=Promise.resolve();if(t&&t.length>0){let e,i=document.querySelector(`meta[property=csp-nonce]`),a=i?.nonce||i?.getAttribute(`nonce`);function o(e){return Promise.all(e.map(e=>Promise.resolve(e).then(e=>({status:`fulfilled`,value:e}),e=>({status:`rejected`,reason:e}))))}function s(e){return import.meta.resolve?new URL(import.meta.resolve(e)):new URL(e,import.meta.url)}r=o(t.map(t=>{t=oe(t,n);let r=s(t),i=ce(r);return le(se,r.href,()=>{if(e===void 0){e={all:new Set,styles:new Set};let t=document.getElementsByTagName(`link`);for(let n=t.length-1;n>=0;n--){let r=t[n];e.all.add(r.href),r.rel===`stylesheet`&&e.styles.add(r.href)}}if((i?e.styles:e.all).has(r.href))return;let t=document.createElement(`link`);if(t.rel=i?`stylesheet`:ae,i||(t.as=`script`),t.crossOrigin=``,t.href=r.href,a&&t.setAttribute(`nonce`,a),document.head.appendChild(t),i)return new Promise((e,n)=>{let i=a=>{t.removeEventListener(`load`,i),t.removeEventListener(`error`,i),a.type===`error`?n(Error(`Unable to preload CSS for ${r}`)):e(a)};t.addEventListener(`load`,i),t.addEventListener(`error`,i)})})}).filter(e=>e!==void 0))}function i(e){let t=new Event(`vite:preloadError`,{cancelable:!0});if(t.payload=e,window.dispatchEvent(t),!t.defaultPrevented)throw e}return r.then(t=>{for(let e of t||[])e.status===`rejected`&&i(e.reason);return e().catch(i)})},ue={en:`English`,de:`Deutsch`,fr:`Français`,es:`Español`,"pt-BR":`Português (Brasil)`,ja:`日本語`,zh:`简体中文`},de=`safelight.language`,fe=Object.assign({"./de.json":()=>z(()=>import(`./de-1o8GUQlH.js`).then(e=>e.default),[]),"./en.json":()=>z(()=>import(`./en-DyB5hDER.js`).then(e=>e.default),[]),"./es.json":()=>z(()=>import(`./es-DTDOcHwU.js`).then(e=>e.default),[]),"./fr.json":()=>z(()=>import(`./fr-CRtHm47I.js`).then(e=>e.default),[]),"./ja.json":()=>z(()=>import(`./ja-PJf0c4Yz.js`).then(e=>e.default),[]),"./pt-BR.json":()=>z(()=>import(`./pt-BR-DDg-mJur.js`).then(e=>e.default),[]),"./zh.json":()=>z(()=>import(`./zh-ClU1yOxd.js`).then(e=>e.default),[])}),B=new class{#e=S({});#t=S(`en`);#n=new Intl.PluralRules(`en`);get current(){return g(this.#t)}async use(e,t=!1){x(this.#e,await fe[`./${e}.json`]()),x(this.#t,e,!0),this.#n=new Intl.PluralRules(e),document.documentElement.lang=e,t&&localStorage.setItem(de,e)}text(e,t){let n=g(this.#e)[e];return n===void 0?e:pe(typeof n==`string`?n:n[this.#n.select(Number(t.n))]??n.other??e,t,g(this.#t))}};function V(e,t={}){return B.text(e,t)}function pe(e,t,n){return e.replace(/\{(\w+)\}/g,(e,r)=>{let i=t[r];return i===void 0?e:typeof i==`number`?new Intl.NumberFormat(n).format(i):i})}function me(e=localStorage.getItem(de),t=navigator.languages){if(e&&e in ue)return e;for(let e of t){let t=e.toLowerCase().split(`-`)[0],n=Object.keys(ue).find(n=>n.toLowerCase()===e.toLowerCase()||n.toLowerCase().split(`-`)[0]===t);if(n)return n}return`en`}var H=new class{#e=S(P(location.pathname));get path(){return g(this.#e)}set path(e){x(this.#e,e,!0)}#t=S(P(location.hash));get hash(){return g(this.#t)}set hash(e){x(this.#t,e,!0)}query=new re(location.search);read(){this.path=location.pathname,this.hash=location.hash;let e=new URLSearchParams(location.search);for(let t of[...this.query.keys()])e.has(t)||this.query.delete(t);for(let[t,n]of e)this.query.get(t)!==n&&this.query.set(t,n)}},he=new Set;function U(e,t={}){new URL(e,location.href).pathname!==location.pathname&&[...he].some(e=>!e())||(history[t.replace?`replaceState`:`pushState`]({inside:!0},``,e),H.read())}function ge(e){history.state?.inside?history.back():U(e,{replace:!0})}function _e(e,t={}){let n=new URLSearchParams(location.search);for(let[t,r]of Object.entries(e))r===null||r===``?n.delete(t):n.set(t,r);let r=n.toString();history[t.push?`pushState`:`replaceState`](history.state,``,location.pathname+(r?`?${r}`:``)+location.hash),H.read()}function ve(e){let t=t=>{if(t.defaultPrevented||t.button!==0||t.metaKey||t.ctrlKey||t.shiftKey||t.altKey)return;let n=t.target?.closest?.(`a`);n&&!n.target&&!n.hasAttribute(`download`)&&n.origin===location.origin&&e(n.pathname)&&(t.preventDefault(),n.href!==location.href&&U(n.pathname+n.search+n.hash))},n=()=>H.read();return document.addEventListener(`click`,t),addEventListener(`popstate`,n),()=>{document.removeEventListener(`click`,t),removeEventListener(`popstate`,n)}}var W=class extends Error{code;field;retryAfter;constructor(e,t,n,r){super(t),this.code=e,this.field=n,this.retryAfter=r,this.name=`ApiError`}};function ye(e){let[t]=e;if(t)throw new W(t.code,t.message,t.field)}async function G(e,t,n={}){let r=await be(`/api/graphql`,JSON.stringify({query:String(e),variables:t}),n),[i]=r.errors??[];if(i)throw new W(i.extensions?.code??`INTERNAL`,i.message,i.extensions?.field);return r.data}async function K(e,t,n={}){return await be(e,JSON.stringify(t),{...n,token:n.token??``})}async function be(e,t,n){let r=n.token??J.token,i={Accept:`application/json`};t!==void 0&&(i[`Content-Type`]=`application/json`),r&&(i.Authorization=`Bearer ${r}`);let a;try{a=await fetch(e,{method:t===void 0?`GET`:`POST`,headers:i,body:t,signal:n.signal,credentials:`omit`,cache:`no-store`})}catch(e){throw n.signal?.aborted?e:new W(`OFFLINE`,`The server does not answer.`)}if(a.status===204)return;let o=await a.json().catch(()=>({}));if(a.ok)return o;throw xe(a,o,r)}function xe(e,t,n){let[r]=t.errors??[],i=t.error??r?.extensions?.code??`INTERNAL`;i===`UNAUTHENTICATED`&&n&&J.refused(n);let a=Number(e.headers.get(`Retry-After`))||void 0;return new W(i,t.message??r?.message??e.statusText,t.field??r?.extensions?.field,a)}async function Se(){return await be(`/api/auth/options`,void 0,{token:``})}var Ce=.6;function we(e){return Math.min(e.issuedAt+(e.expiresAt-e.issuedAt)*Ce,e.expiresAt-6e4)}var q=`safelight.session`,Te=2**31-1,Ee=class{#e=S(De());#t;get token(){return g(this.#e)?.token??``}get user(){return g(this.#e)?.user??null}get mayEdit(){return this.user?.role===`admin`||this.user?.role===`user`}get mayAdminister(){return this.user?.role===`admin`}start(){addEventListener(`storage`,e=>{(e.key===q||e.key===null)&&this.#i(De())}),addEventListener(`visibilitychange`,()=>this.#a()),this.#a()}async login(e,t){this.#n(await K(`/api/auth/login`,{username:e,password:t}))}async guest(){this.#n(await K(`/api/auth/guest`,{}))}async register(e){this.#n(await K(`/api/auth/register`,e))}async logout(){let e=this.token;this.forget(),e&&await K(`/api/auth/logout`,{},{token:e}).catch(()=>void 0)}forget(){localStorage.removeItem(q),this.#i(null)}refused(e){let t=De();t&&t.token!==e?this.#i(t):this.forget()}rename(e){let t=g(this.#e);t&&this.#r({...t,user:{...t.user,displayName:e}})}#n(e){let t=Date.now();this.#r({token:e.token,issuedAt:t,expiresAt:t+e.expiresIn*1e3,user:e.user})}#r(e){localStorage.setItem(q,JSON.stringify(e)),this.#i(e)}#i(e){x(this.#e,e),this.#a()}#a(){clearTimeout(this.#t);let e=g(this.#e);if(!e)return;let t=Math.max(0,we(e)-Date.now());this.#t=setTimeout(()=>t>Te?this.#a():void this.#o(),Math.min(t,Te))}async#o(){let e=async()=>{let e=De();if(!e||we(e)>Date.now())return this.#i(e);try{this.#n(await K(`/api/auth/refresh`,{token:e.token}))}catch(t){t instanceof W&&t.code===`UNAUTHENTICATED`?this.refused(e.token):this.#t=setTimeout(()=>void this.#o(),3e4)}};navigator.locks?await navigator.locks.request(q,e):await e()}};function De(){try{let e=JSON.parse(localStorage.getItem(q)??`null`);return e&&e.expiresAt>Date.now()?e:null}catch{return null}}var J=new Ee,Oe=`M20 6 9 17l-5-5`,ke=`M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0M12 8L12 12M12 16L12.01 16`,Ae=`M18 6 6 18M6 6l12 12`,je=e(`<svg viewBox="0 0 24 24" aria-hidden="true"><path></path></svg>`);function Y(e,t){let n=v(t,`size`,3,18),r=v(t,`fill`,3,!1);var i=je();let a;var s=b(i);N(()=>{w(i,`width`,n()),w(i,`height`,n()),a=I(i,0,`svelte-123hemx`,null,a,{fill:r()}),w(s,`d`,t.path)}),o(e,i)}var Me={done:6e3,note:8e3,error:1e4},X=new class{#e=S(P([]));get list(){return g(this.#e)}set list(e){x(this.#e,e,!0)}#t=1;#n=new Map;show(e,t,n){let r=this.#t++;return this.list=[...this.list.slice(-2),{id:r,kind:e,text:t,action:n}],this.#r(r,e),r}close(e){this.list=this.list.filter(t=>t.id!==e),clearTimeout(this.#n.get(e)),this.#n.delete(e)}hold(){for(let e of this.#n.values())clearTimeout(e)}release(){for(let e of this.list)this.#r(e.id,e.kind)}#r(e,t){clearTimeout(this.#n.get(e)),this.#n.set(e,setTimeout(()=>this.close(e),Me[t]))}},Ne=R(`<button class="act svelte-d8zspq"> </button>`),Pe=R(`<div><!> <span class="grow"> </span> <!> <button class="close svelte-d8zspq"><!></button></div>`),Fe=R(`<div class="toasts svelte-d8zspq" role="status" aria-live="polite"></div>`);function Ie(e,t){L(t,!0);async function n(e){X.close(e.id),await e.action?.run()}var r=Fe();c(r,21,()=>X.list,e=>e.id,(e,t)=>{var r=Pe(),i=j(r);{let e=O(()=>g(t).kind===`done`?Oe:ke);Y(i,{get path(){return g(e)}})}var a=E(i,2),s=b(a,!0),c=E(a,2),u=e=>{var r=Ne(),i=b(r,!0);N(()=>l(i,g(t).action.label)),h(`click`,r,()=>n(g(t))),o(e,r)};T(c,e=>{g(t).action&&e(u)});var f=E(c,2);Y(j(f),{get path(){return Ae},size:16}),d(f),d(r),N(e=>{I(r,1,`toast ${g(t).kind??``}`,`svelte-d8zspq`),l(s,g(t).text),w(f,`aria-label`,e)},[()=>V(`ui.close`)]),h(`click`,f,()=>X.close(g(t).id)),o(e,r)}),d(r),i(`pointerenter`,r,()=>X.hold()),i(`pointerleave`,r,()=>X.release()),h(`focusin`,r,()=>X.hold()),h(`focusout`,r,()=>X.release()),o(e,r),F()}p([`focusin`,`focusout`,`click`]);function Le(e,t){let n=e.split(`/`).slice(1),r=t.replace(/\/+$/,``).split(`/`).slice(1),i={};for(let[e,t]of n.entries()){if(t.startsWith(`*`))return i[t.slice(1)]=r.slice(e).map(ze).join(`/`),i;let n=r[e]??``;if(t.startsWith(`:`)){if(!n)return null;i[t.slice(1)]=ze(n)}else if(t!==n)return null}return r.length>n.length?null:i}function Re(e){return e.split(`/`).map(encodeURIComponent).join(`/`)}function ze(e){try{return decodeURIComponent(e)}catch{return e}}var Be=`M9 18l6-6-6-6`,Ve=`M20 20a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-7.9a2 2 0 0 1-1.69-.9L9.6 3.9A2 2 0 0 0 7.93 3H4a2 2 0 0 0-2 2v13a2 2 0 0 0 2 2Z`,He=`M6 14l1.5-2.9A2 2 0 0 1 9.24 10H20a2 2 0 0 1 1.94 2.5l-1.54 6a2 2 0 0 1-1.95 1.5H4a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h3.9a2 2 0 0 1 1.69.9l.81 1.2a2 2 0 0 0 1.67.9H18a2 2 0 0 1 2 2v2`,Z=class extends String{__apiType;value;__meta__;constructor(e,t){super(e),this.value=e,this.__meta__=t}toString(){return this.value}};new Z(`
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
    id
    path
    name
    size
    width
    height
    type
    thumbHash
    screen: url(
      operations: {width: 2400, height: 1800, fitIn: true, filters: [{name: "format", args: "webp"}, {name: "no_upscale"}]}
    )
    original: url
  }
}
    `);var Ue=`query Files($folder:String!$recursive:Boolean!$filter:FileFilter$search:String$sort:FileSort!$order:SortOrder!$first:Int!$after:String$count:Boolean!){files(folder:$folder recursive:$recursive filter:$filter search:$search sort:$sort order:$order first:$first after:$after){totalCount@include(if:$count)nodes{...Tile}pageInfo{hasNextPage endCursor}}}fragment Tile on File{id path name size modifiedAt takenAt type metadata width height pages dominantColor thumbHash tags focalPoint{x y}small:url(operations:{height:240 filters:[{name:"format" args:"webp"}]})medium:url(operations:{height:480 filters:[{name:"format" args:"webp"}]})large:url(operations:{height:960 filters:[{name:"format" args:"webp"}]})}`,We=`query Folders($folder:String!$after:String){folders(folder:$folder first:100 after:$after){nodes{id path name}pageInfo{hasNextPage endCursor}}}`,Ge=`query FolderFace($folder:String!){files(folder:$folder recursive:true sort:MODIFIED order:DESC first:4){totalCount nodes{id thumb:url(operations:{width:80 height:80 smart:true filters:[{name:"format" args:"webp"}]})}}}`,Ke=`query Tags{tags{name count}}`,qe=`mutation TagFiles($input:TagFilesInput!){tagFiles(input:$input){results{path ok error{code message}}userErrors{code message field}}}`,Je=`mutation TrashFiles($input:TrashFilesInput!){trashFiles(input:$input){results{path ok trashed{id}error{code message}}userErrors{code message field}}}`,Ye=`mutation RestoreFiles($input:RestoreFilesInput!){restoreFiles(input:$input){results{id ok error{code message}}userErrors{code message field}}}`,Xe=`mutation MoveFiles($input:MoveFilesInput!){moveFiles(input:$input){results{path ok file{path}error{code message}}userErrors{code message field}}}`,Ze=`mutation CopyFiles($input:CopyFilesInput!){copyFiles(input:$input){results{path ok error{code message}}userErrors{code message field}}}`,Qe=`mutation CreateFolder($path:String!){createFolder(path:$path)}`,Q=new class{#e=new k;#t=new Map;children(e){return this.#e.get(e)}load(e){return this.#e.has(e)?Promise.resolve():this.reload(e)}reload(e){let t=this.#t.get(e);if(t)return t;let n=this.#n(e).finally(()=>this.#t.delete(e));return this.#t.set(e,n),n}clear(){this.#e.clear()}async#n(e){let t=[];for(let n=null;;){let{folders:r}=await G(We,{folder:e,after:n});if(t.push(...r?.nodes??[]),n=r?.pageInfo.endCursor??null,!r?.pageInfo.hasNextPage||!n)break}this.#e.set(e,t)}},$e=e=>e.slice(0,Math.max(0,e.lastIndexOf(`/`))),et=e=>e.slice(e.lastIndexOf(`/`)+1),tt=(e,t)=>e?`${e}/${t}`:t,nt=e=>e?e.split(`/`).map((e,t,n)=>n.slice(0,t+1).join(`/`)):[],rt=`safelight.gallery`,$=new class{#e=S(`justified`);get view(){return g(this.#e)}set view(e){x(this.#e,e,!0)}#t=S(200);get size(){return g(this.#t)}set size(e){x(this.#t,e,!0)}#n=S(P([]));get open(){return g(this.#n)}set open(e){x(this.#n,e,!0)}constructor(){try{let e=JSON.parse(localStorage.getItem(rt)??`{}`);e.view&&[`justified`,`square`,`list`].includes(e.view)&&(this.view=e.view),typeof e.size==`number`&&(this.size=Math.min(400,Math.max(96,e.size))),Array.isArray(e.open)&&(this.open=e.open.filter(e=>typeof e==`string`).slice(0,200))}catch{}}keep(){localStorage.setItem(rt,JSON.stringify({view:this.view,size:this.size,open:this.open}))}},it=R(`<ul role="group" class="svelte-ccbhws"></ul>`),at=R(`<li role="treeitem" class="svelte-ccbhws"><div><span><!></span> <!> <span class="clip"> </span></div> <!></li>`);function ot(e,t){L(t,!0);let n=O(()=>$.open.includes(t.folder.path)),r=O(()=>Q.children(t.folder.path)),a=O(()=>t.at===t.folder.path);A(()=>{Q.load(t.folder.path).catch(()=>void 0)});function s(){$.open=g(n)?$.open.filter(e=>e!==t.folder.path&&!e.startsWith(`${t.folder.path}/`)):[...$.open,t.folder.path],$.keep()}var u=at(),f=j(u);let p,m;var _=j(f);let v;Y(j(_),{get path(){return Be},size:12}),d(_);var y=E(_,2);{let e=O(()=>g(n)&&g(r)?.length?He:Ve);Y(y,{get path(){return g(e)}})}var x=E(y,2),S=b(x,!0);d(f);var C=E(f,2),D=e=>{var n=it();c(n,21,()=>g(r),e=>e.path,(e,n)=>{{let r=O(()=>t.depth+1);ot(e,{get folder(){return g(n)},get depth(){return g(r)},get at(){return t.at},get go(){return t.go},entry:!1})}}),d(n),o(e,n)};T(C,e=>{g(n)&&g(r)?.length&&e(D)}),d(u),N(()=>{w(u,`tabindex`,g(a)||t.entry?0:-1),w(u,`aria-selected`,g(a)),w(u,`aria-expanded`,g(r)?.length?g(n):void 0),w(u,`data-path`,t.folder.path),w(u,`aria-label`,t.folder.name),p=I(f,1,`row svelte-ccbhws`,null,p,{on:g(a)}),m=ee(f,``,m,{"padding-left":`${t.depth*16+4}px`}),v=I(_,1,`twist svelte-ccbhws`,null,v,{open:g(n),none:!g(r)?.length}),w(x,`title`,t.folder.name),l(S,t.folder.name)}),i(`toggle`,u,s),h(`click`,f,()=>t.go(t.folder.path)),h(`click`,_,e=>{e.stopPropagation(),s()}),o(e,u),F()}p([`click`]);var st=R(`<h3 class="svelte-1adg88"> </h3>`),ct=R(`<li role="treeitem" data-path=""> </li>`),lt=R(`<!> <ul role="tree" class="svelte-1adg88"><!> <!></ul>`,1);function ut(e,t){L(t,!0);let n=v(t,`label`,19,()=>V(`nav.folders`)),r=O(()=>t.chosen??(H.path.startsWith(`/f/`)?decodeURIComponent(H.path.slice(3)):``)),i=O(()=>Q.children(``)),a=e=>t.onchoose?t.onchoose(e):U(`/f/${Re(e)}`);A(()=>{Q.load(``).catch(()=>void 0);for(let e of nt(g(r)).slice(0,-1))$.open.includes(e)||($.open=[...$.open,e])});function s(e){let t=[...e.currentTarget.querySelectorAll(`[role=treeitem]`)],n=e.target.closest(`[role=treeitem]`),r=n?t.indexOf(n):-1,i=n?.getAttribute(`aria-expanded`),o;if(e.key===`ArrowDown`)o=t[r+1];else if(e.key===`ArrowUp`)o=t[r-1];else if(e.key===`Home`)o=t[0];else if(e.key===`End`)o=t.at(-1);else if(e.key===`ArrowRight`&&n)i===`false`?n.dispatchEvent(new CustomEvent(`toggle`)):o=t[r+1];else if(e.key===`ArrowLeft`&&n)i===`true`?n.dispatchEvent(new CustomEvent(`toggle`)):o=n.parentElement?.closest(`[role=treeitem]`)??void 0;else if((e.key===`Enter`||e.key===` `)&&n)a(n.dataset.path);else return;e.preventDefault(),e.stopPropagation(),o?.focus()}var f=u(),p=M(f),m=e=>{var u=lt(),f=M(u),p=e=>{var t=st(),r=b(t,!0);N(()=>l(r,n())),o(e,t)};T(f,e=>{t.onchoose||e(p)});var m=E(f,2),_=j(m),v=e=>{var t=ct();let n;var i=b(t,!0);N(e=>{w(t,`tabindex`,g(r)===``?0:-1),w(t,`aria-selected`,g(r)===``),n=I(t,1,`root svelte-1adg88`,null,n,{on:g(r)===``}),l(i,e)},[()=>V(`nav.library`)]),h(`click`,t,()=>a(``)),h(`keydown`,t,()=>void 0),o(e,t)};T(_,e=>{t.onchoose&&e(v)});var ee=E(_,2);c(ee,19,()=>g(i)??[],e=>e.path,(e,n,o)=>{{let s=O(()=>!t.onchoose&&g(o)===0&&!g(i)?.some(e=>g(r)===e.path||g(r).startsWith(`${e.path}/`)));ot(e,{get folder(){return g(n)},depth:0,get at(){return g(r)},go:a,get entry(){return g(s)}})}}),d(m),N(()=>w(m,`aria-label`,n())),h(`keydown`,m,s),o(e,u)};T(p,e=>{(g(i)?.length||t.onchoose)&&e(m)}),o(e,f),F()}p([`keydown`,`click`]);var dt=`mutation CreateUpload($input:CreateUploadInput!){createUpload(input:$input){upload{id url}userErrors{code message field}}}`,ft=`mutation FinishUpload($input:FinishUploadInput!){finishUpload(input:$input){file{path}userErrors{code message field}}}`,pt=`mutation CancelUpload($input:CancelUploadInput!){cancelUpload(input:$input){userErrors{code message field}}}`,mt=3,ht=8<<20,gt=[500,1e3,3e3,5e3,1e4,2e4],_t=class{id;file;path;#e=S(`waiting`);get state(){return g(this.#e)}set state(e){x(this.#e,e,!0)}#t=S(0);get sent(){return g(this.#t)}set sent(e){x(this.#t,e,!0)}#n=S(``);get reason(){return g(this.#n)}set reason(e){x(this.#n,e,!0)}preview;policy=`ERROR`;#r=null;#i=null;constructor(e,t,n){this.id=e,this.file=t,this.path=n,this.preview=/^image\/(jpeg|png|webp|gif|avif)$/.test(t.type)&&t.size<3e7?URL.createObjectURL(t):``}async run(){this.state=`sending`,this.reason=``;try{this.#r?await this.#s(this.#r):await this.#o();let{finishUpload:e}=await G(ft,{input:{id:this.#i}});ye(e?.userErrors??[]),this.state=`done`}catch(e){if(this.#a)return;let t=e instanceof W&&e.code===`CONFLICT`;t&&(this.#r=null),this.state=t?`conflict`:`failed`,this.reason=e instanceof Error?e.message:String(e)}}get#a(){return this.state===`paused`}async#o(){let{createUpload:e}=await G(dt,{input:{path:this.path,contentType:this.file.type.startsWith(`image/`)?this.file.type:`application/octet-stream`,sizeBytes:this.file.size,onConflict:this.policy}});ye(e?.userErrors??[]);let{id:t,url:n}=e.upload;this.#i=t;let{Upload:r}=await z(async()=>{let{Upload:e}=await import(`./browser-DpflrsUw.js`);return{Upload:e}},[]);this.#r=new r(this.file,{uploadUrl:new URL(n,location.href).href,chunkSize:ht,retryDelays:gt,storeFingerprintForResuming:!1,onProgress:e=>this.sent=e}),await this.#s(this.#r)}#s(e){return new Promise((t,n)=>{e.options.onSuccess=()=>t(),e.options.onError=n,this.#c=()=>n(Error(`paused`)),e.start()})}#c=()=>void 0;pause(){this.state===`waiting`&&(this.state=`paused`),this.state===`sending`&&(this.state=`paused`,this.#r?.abort(),this.#c())}cancel(){this.pause(),this.#i&&this.state!==`done`&&G(pt,{input:{id:this.#i}}).catch(()=>void 0),this.preview&&URL.revokeObjectURL(this.preview)}},vt=new class{#e=S([]);get list(){return g(this.#e)}set list(e){x(this.#e,e)}#t=new k;#n=1;add(e,t){t.length&&(this.list=[...this.list,...t.map(({file:t,path:n})=>new _t(this.#n++,t,tt(e,n)))],this.#r())}finishedIn(e){return this.#t.get(e)??0}get done(){return this.list.filter(e=>e.state===`done`).length}get running(){return this.list.some(e=>e.state===`sending`||e.state===`waiting`)}get bytes(){let e=this.list.reduce((e,t)=>e+t.file.size,0);return{sent:this.list.reduce((e,t)=>e+(t.state===`done`?t.file.size:t.sent),0),all:e}}retry(e,t){t&&(e.policy=t),e.state=`waiting`,this.#r()}resolveAll(e){for(let t of this.list.filter(e=>e.state===`conflict`))e?this.retry(t,e):this.drop(t)}pauseAll(){for(let e of this.list)e.pause()}resumeAll(){for(let e of this.list)(e.state===`paused`||e.state===`failed`)&&(e.state=`waiting`);this.#r()}drop(e){e.cancel(),this.list=this.list.filter(t=>t!==e),this.#r()}clear(){for(let e of this.list)e.cancel();this.list=[]}#r(){let e=mt-this.list.filter(e=>e.state===`sending`).length;for(let t of this.list.filter(e=>e.state===`waiting`).slice(0,Math.max(0,e)))t.run().then(()=>{this.#r(),t.state===`done`&&this.#o(t.path)})}#i=new Set;#a;#o(e){for(let t=$e(e);this.#i.add(t),t;t=$e(t));clearTimeout(this.#a),this.#a=setTimeout(()=>{for(let e of this.#i)this.#t.set(e,this.finishedIn(e)+1),Q.reload(e).catch(()=>void 0);this.#i.clear()},600)}},yt=`M17.925 20.056a6 6 0 0 0-11.851.001M8 11a4 4 0 1 0 8 0a4 4 0 1 0 -8 0M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0`,bt=`M22 11l-1.296-1.296a2.4 2.4 0 0 0-3.408 0L11 16M4 8a2 2 0 0 0-2 2v10a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2M12 7a1 1 0 1 0 2 0a1 1 0 1 0 -2 0M10 2h10a2 2 0 0 1 2 2v10a2 2 0 0 1 -2 2h-10a2 2 0 0 1 -2 -2v-10a2 2 0 0 1 2 -2z`,xt=`M21 21l-4.34-4.34M3 11a8 8 0 1 0 16 0a8 8 0 1 0 -16 0`,St=`M10 11v6M14 11v6M19 6v14a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V6M3 6h18M8 6V4a2 2 0 0 1 2-2h4a2 2 0 0 1 2 2v2`,Ct=[{href:`/`,label:`nav.library`,icon:bt,place:`top`,tab:!0,lit:e=>e===`/`||e.startsWith(`/f/`)},{href:`/search`,label:`nav.search`,icon:xt,place:`top`,tab:!0},{href:`/trash`,label:`nav.trash`,icon:St,place:`bottom`,role:`edit`,tab:!0},{href:`/me`,label:`nav.account`,icon:yt,place:`bottom`,tab:!0}],wt=R(`<a><!><span class="clip svelte-1ic85nn"> </span></a>`),Tt=R(`<div class="app svelte-1ic85nn"><a class="skip svelte-1ic85nn" href="#main"> </a> <header class="side svelte-1ic85nn"><a class="brand svelte-1ic85nn" href="/"><span class="lamp svelte-1ic85nn"></span>Safelight</a> <nav class="svelte-1ic85nn"><!></nav> <nav class="folders svelte-1ic85nn"><!></nav> <nav class="svelte-1ic85nn"><!></nav></header> <main id="main" tabindex="-1" class="svelte-1ic85nn"><!></main> <nav class="tabs svelte-1ic85nn"></nav></div> <!>`,1);function Et(e,i){L(i,!0);let a=(e,n=t)=>{var r=u(),i=M(r);c(i,17,()=>g(f).filter(e=>e.place===n()),e=>e.href,(e,t)=>{let n=O(()=>m(g(t))&&(g(t).href!==`/`||H.path===`/`));var r=wt();let i;var a=j(r);Y(a,{get path(){return g(t).icon}});var s=E(a),c=b(s,!0);d(r),N(e=>{w(r,`href`,g(t).href),w(r,`aria-current`,g(n)?`page`:void 0),i=I(r,1,`svelte-1ic85nn`,null,i,{on:g(n)}),l(c,e)},[()=>h(g(t))]),o(e,r)}),o(e,r)},f=O(()=>Ct.filter(e=>!e.role||(e.role===`admin`?J.mayAdminister:J.mayEdit))),p=O(()=>g(f).filter(e=>e.tab).slice(0,5)),m=e=>e.lit?e.lit(H.path):H.path===e.href||H.path.startsWith(`${e.href}/`),h=e=>e.href===`/me`?J.user?.displayName??V(e.label):V(e.label);var _=Tt(),v=M(_),ee=j(v),y=b(ee,!0),x=E(ee,2),S=E(j(x),2);a(j(S),()=>`top`),d(S);var C=E(S,2);ut(j(C),{}),d(C);var D=E(C,2);a(j(D),()=>`bottom`),d(D),d(x);var k=E(x,2),A=j(k);n(A,()=>i.children),d(k);var te=E(k,2);c(te,21,()=>g(p),e=>e.href,(e,t)=>{var n=wt();let r;var i=j(n);Y(i,{get path(){return g(t).icon},size:22});var a=E(i),s=b(a,!0);d(n),N((e,i,a)=>{w(n,`href`,g(t).href),w(n,`aria-current`,e),r=I(n,1,`svelte-1ic85nn`,null,r,{on:i}),l(s,a)},[()=>m(g(t))?`page`:void 0,()=>m(g(t)),()=>h(g(t))]),o(e,n)}),d(te),d(v);var ne=E(v,2),re=e=>{var t=u(),n=M(t);s(n,()=>z(()=>import(`./Tray-BW7r0cYU.js`),__vite__mapDeps([0,1,2,3])),null,(e,t)=>{var n=O(()=>{var{default:e}=g(t);return{Tray:e}}),i=O(()=>g(n).Tray),a=u(),s=M(a);r(s,()=>g(i),(e,t)=>{t(e,{})}),o(e,a)}),o(e,t)};T(ne,e=>{vt.list.length&&e(re)}),N((e,t,n,r,i)=>{l(y,e),w(S,`aria-label`,t),w(C,`aria-label`,n),w(D,`aria-label`,r),w(te,`aria-label`,i)},[()=>V(`app.skip`),()=>V(`nav.main`),()=>V(`nav.folders`),()=>V(`nav.more`),()=>V(`nav.main`)]),o(e,_),F()}var Dt=new Set([`$$slots`,`$$events`,`$$legacy`,`kind`,`icon`,`label`,`on`,`busy`,`type`,`element`,`children`,`disabled`,`href`]),Ot=R(`<span class="spin svelte-1j8p21y"></span>`),kt=R(`<!><!>`,1);function At(e,r){L(r,!0);let i=v(r,`kind`,3,`plain`),a=v(r,`busy`,3,!1),s=v(r,`type`,3,`button`),c=v(r,`element`,15,null),l=te(r,Dt);var d=u(),p=M(d);f(p,()=>r.href===void 0?`button`:`a`,!1,(e,u)=>{y(e,e=>c(e),()=>c()),ne(e,()=>({href:r.href,type:r.href===void 0?s():void 0,class:[`btn`,i(),{square:!r.children,on:r.on}],"aria-label":r.label,"aria-pressed":r.on===void 0?void 0:r.on,"aria-busy":a()||void 0,title:r.children?void 0:r.label,disabled:r.href===void 0?r.disabled||a():void 0,...l}),void 0,void 0,void 0,`svelte-1j8p21y`);var d=kt(),f=M(d),p=e=>{var t=Ot();o(e,t)},m=e=>{Y(e,{get path(){return r.icon}})};T(f,e=>{a()?e(p):r.icon&&e(m,1)});var h=E(f);n(h,()=>r.children??t),o(u,d)}),o(e,d),F()}var jt=R(`<p class="meta svelte-1mkf5dt"> </p>`),Mt=R(`<section class="svelte-1mkf5dt"><h1> </h1> <!> <!></section>`);function Nt(e,t){L(t,!0);var n=Mt(),r=j(n),i=b(r,!0),s=E(r,2),c=e=>{var n=jt(),r=b(n,!0);N(()=>l(r,t.text)),o(e,n)};T(s,e=>{t.text&&e(c)});var u=E(s,2),f=e=>{At(e,{get href(){return t.action.href},get onclick(){return t.action.run},children:(e,n)=>{ie();var r=a();N(()=>l(r,t.action.label)),o(e,r)},$$slots:{default:!0}})};T(u,e=>{t.action&&e(f)}),d(n),N(()=>l(i,t.title)),o(e,n),F()}var Pt=()=>z(()=>import(`./Gallery-1RE-ytPv.js`),__vite__mapDeps([4,1,5,6,7,2,8,9,10,11,12,13,14])),Ft=[{pattern:`/login`,page:()=>z(()=>import(`./Login-CGR2wNHY.js`),__vite__mapDeps([15,1,12,13,16,17,18])),bare:!0,open:!0},{pattern:`/setup`,page:()=>z(()=>import(`./Setup-Cz93O4JG.js`),__vite__mapDeps([19,1,12,13,16,17,18])),bare:!0,open:!0},{pattern:`/`,page:Pt,group:`gallery`},{pattern:`/f/*folder`,page:Pt,group:`gallery`},{pattern:`/search`,page:()=>z(()=>import(`./Search-Da-c64Aw.js`),__vite__mapDeps([20,1,5,6,7,2,8,9,21]))},{pattern:`/i/*file`,page:()=>z(()=>import(`./Viewer-DOmZMs0i.js`),__vite__mapDeps([22,1,8,23])),bare:!0,group:`viewer`},{pattern:`/trash`,page:()=>z(()=>import(`./Trash-aZFa7UB7.js`),__vite__mapDeps([24,1,2,7,10,6,11,25])),role:`edit`},{pattern:`/me`,page:()=>z(()=>import(`./Me-B5ARPbqO.js`),__vite__mapDeps([26,1,12,13,16,27]))}];function It(e){for(let t of Ft){let n=Le(t.pattern,e);if(n)return{route:t,params:n}}return null}var Lt=R(`<!> <!>`,1);function Rt(e,t){L(t,!0);let n=e=>{var t=u(),n=M(t),a=e=>{{let t=O(()=>V(`app.notFound`)),n=O(()=>V(`app.notFoundText`)),r=O(()=>({label:V(`app.toLibrary`),href:`/`}));Nt(e,{get title(){return g(t)},get text(){return g(n)},get action(){return g(r)}})}},f=e=>{{let t=O(()=>V(`app.notAllowed`)),n=O(()=>V(`app.notAllowedText`)),r=O(()=>({label:V(`app.toLibrary`),href:`/`}));Nt(e,{get title(){return g(t)},get text(){return g(n)},get action(){return g(r)}})}},p=e=>{{let t=O(()=>V(`app.failed`)),n=O(()=>V(`app.failedText`)),r=O(()=>({label:V(`app.reload`),run:()=>location.reload()}));Nt(e,{get title(){return g(t)},get text(){return g(n)},get action(){return g(r)}})}},m=e=>{let t=O(()=>g(c).page);var n=u(),a=M(n);r(a,()=>g(t),(e,t)=>{t(e,{get params(){return g(i).params}})}),o(e,n)};T(n,e=>{g(i)?g(s)?g(l)?e(p,2):g(c)?.key===g(d)&&e(m,3):e(f,1):e(a)}),o(e,t)},i=O(()=>It(H.path)),a=O(()=>!g(i)||g(i).route.open||J.user!==null),s=O(()=>!g(i)?.route.role||(g(i).route.role===`admin`?J.mayAdminister:J.mayEdit));A(()=>{if(g(a))return;let e=location.pathname+location.search;U(e===`/`?`/login`:`/login?next=${encodeURIComponent(e)}`,{replace:!0})});let c=S(null),l=S(!1),d=O(()=>g(i)?g(i).route.group??g(i).route.pattern:``);A(()=>{let e=g(i)?.route;if(!e||!g(a)||g(c)?.key===g(d))return;let t=g(d);x(l,!1),e.page().then(e=>t===g(d)&&x(c,{page:e.default,key:t}),()=>t===g(d)&&x(l,!0))});var f=Lt(),p=M(f),m=e=>{var t=u(),r=M(t),a=e=>{n(e)},s=e=>{Et(e,{children:(e,t)=>{n(e)},$$slots:{default:!0}})},c=e=>{n(e)};T(r,e=>{g(i)?.route.bare?e(a):J.user?e(s,1):e(c,-1)}),o(e,t)};T(p,e=>{g(a)&&e(m)}),Ie(E(p,2),{}),o(e,f),F()}var zt=`safelight.theme`,Bt=class{#e=S(P(Vt(localStorage.getItem(zt))));get choice(){return g(this.#e)}set choice(e){localStorage.setItem(zt,e),this.#t(e)}start(){this.#t(g(this.#e)),addEventListener(`storage`,e=>e.key===zt&&this.#t(Vt(e.newValue)))}#t(e){x(this.#e,e,!0),e===`system`?delete document.documentElement.dataset.theme:document.documentElement.dataset.theme=e}},Vt=e=>e===`dark`||e===`light`?e:`system`,Ht=new Bt,Ut=[`byte`,`kilobyte`,`megabyte`,`gigabyte`,`terabyte`];function Wt(e,t=B.current){let n=Math.min(Ut.length-1,e<1e3?0:Math.floor(Math.log10(e)/3)),r=e/1e3**n,i=n===0||r>=100?0:1;return new Intl.NumberFormat(t,{style:`unit`,unit:Ut[n],unitDisplay:`short`,maximumFractionDigits:i}).format(r)}function Gt(e){return new Intl.DateTimeFormat(B.current,{dateStyle:`medium`}).format(new Date(e))}var Kt=[[`year`,31536e3],[`month`,2592e3],[`day`,86400],[`hour`,3600],[`minute`,60]];function qt(e,t=Date.now()){let n=(new Date(e).getTime()-t)/1e3,r=new Intl.RelativeTimeFormat(B.current,{numeric:`auto`});for(let[e,t]of Kt)if(Math.abs(n)>=t)return r.format(Math.trunc(n/t),e);return r.format(Math.trunc(n),`second`)}var Jt=R(`<!><span class="only-read svelte-1qlbtbo"> </span>`,1),Yt=R(`<label><input type="radio" class="svelte-1qlbtbo"/> <!></label>`),Xt=R(`<fieldset class="svelte-1qlbtbo"><legend class="only-read"> </legend> <!></fieldset>`);function Zt(e,t){let n=m();L(t,!0);var r=Xt(),i=j(r),s=b(i,!0),u=E(i,2);c(u,17,()=>t.options,e=>e.value,(e,r)=>{var i=Yt();let s;var c=j(i);D(c);var u=E(c,2),f=e=>{var t=Jt(),n=M(t);Y(n,{get path(){return g(r).icon}});var i=E(n),a=b(i,!0);N(()=>l(a,g(r).label)),o(e,t)},p=e=>{var t=a();N(()=>l(t,g(r).label)),o(e,t)};T(u,e=>{g(r).icon?e(f):e(p,-1)}),d(i),N(()=>{w(i,`title`,g(r).icon?g(r).label:void 0),s=I(i,1,`svelte-1qlbtbo`,null,s,{icons:g(r).icon}),w(c,`name`,n),_(c,g(r).value),C(c,t.value===g(r).value)}),h(`change`,c,()=>t.onchange(g(r).value)),o(e,i)}),d(r),N(()=>l(s,t.label)),o(e,r),F()}p([`change`]);export{Be as A,G as B,Ge as C,Ke as D,qe as E,Oe as F,_e as G,ge as H,J as I,me as J,B as K,W as L,X as M,Y as N,Je as O,Ae as P,Se as R,Ue as S,Ye as T,H as U,ve as V,U as W,z as X,V as Y,et as _,Ht as a,Ze as b,Nt as c,xt as d,vt as f,tt as g,Q as h,qt as i,Re as j,Ve as k,At as l,$ as m,Wt as n,Rt as o,ut as p,ue as q,Gt as r,It as s,Zt as t,St as u,$e as v,Xe as w,Qe as x,nt as y,ye as z};