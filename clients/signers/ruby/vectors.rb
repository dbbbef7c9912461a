# frozen_string_literal: true

# Answers the lines of ../signers_test.go.
require_relative "safelight"

$stdin.set_encoding("UTF-8")
$stdin.each_line(chomp: true) do |line|
  what, *f = line.split("\t", -1)
  how = { algorithm: f[1], truncate: f[2].to_i }
  given = ->(s) { s.empty? ? nil : s }
  puts(case what
       when "sign" then Safelight.sign(f[3], f[0], **how)
       when "url" then Safelight.signed_url(f[3], f[0], **how)
       when "family" then Safelight.family(f[3], f[4], f[0], **how)
       when "choice" then Safelight.family_url(f[0], width: given[f[1]]&.to_i, density: given[f[2]]&.to_f, format: given[f[3]], quality: given[f[4]])
       when "encrypt" then Safelight.encrypt_path(f[2], f[0], [f[1]].pack("H*"))
       when "image" then Safelight.encode_image(f[0])
       end)
end
