package fonts

var Describe = describe
