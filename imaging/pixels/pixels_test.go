package pixels

// encoded returns a file, nil if it was not encoded.
func encoded(file []byte, err error) []byte {
	if (file == nil) != (err != nil) {
		panic(err)
	}
	return file
}
