package lockkey

import "testing"

func TestAlike(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"lock:payment:{}", "lock:payments:{}", true},
		{"venue:row:{}", "venue:rows:{}", true},
		{"yard:container:{}", "yard:contaner:{}", true},
		{"book_voucher:{}", "book-voucher:{}", true},
		{"Theatre-Box:{}", "theatre-box:{}", true},
		{"policy:{}", "policies:{}", true},
		{"receive:{}", "recieve:{}", true},
		{"account:{}", "accaunt:{}", true},
		{"account:{}:x", "accaunt:{}:y", false},       // two words differ
		{"riding:horse:{}", "riding:house:{}", false}, // short words
		{"theatre:card:{}", "theatre:cast:{}", false},
		{"hay-farm/{}", "hay-form/{}", false},
		{"receipt:v1:{}", "receipt:v2:{}", false}, // digits are meant
		{"shard10:{}", "shard1:{}", false},
		{"directory:users", "directory:user:{}", false}, // one varies, one does not
		{"schema:migrate:{}", "schema:rollback:{}", false},
		{"import:{}", "export:{}", false},
		{"order:{}", "border:{}", false},     // a letter before is another word
		{"invoice:{}", "invoiced:{}", false}, // and one behind, too
		{"a:{}", "a-{}", false},
		{"user:{}:cart", "user:{}:cart", false},
	} {
		for _, swap := range []bool{false, true} {
			a, b := c.a, c.b
			if swap {
				a, b = b, a
			}
			if got, _ := alike(a, b); got != c.want {
				t.Errorf("alike(%q, %q) = %v", a, b, got)
			}
		}
	}
}
