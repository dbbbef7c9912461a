package fonts

var Read = read
