package keyterm

// sources says which functions of the standard library and of well-known modules make values out of the environment.
// An index other than 0 is another result of the function.
var sources = map[string]string{
	"crypto/rand.Text": Random, "crypto/rand.Int": Random, "crypto/rand.Prime": Random,
	"math/rand.Int": Random, "math/rand.Int63": Random, "math/rand.Intn": Random, "math/rand.Int63n": Random, "math/rand.Uint32": Random,
	"math/rand.Uint64": Random, "math/rand.Int31": Random, "math/rand.Int31n": Random, "math/rand.Float64": Random,
	"(*math/rand.Rand).Int": Random, "(*math/rand.Rand).Int63": Random, "(*math/rand.Rand).Intn": Random,
	"math/rand/v2.Int": Random, "math/rand/v2.Int64": Random, "math/rand/v2.IntN": Random, "math/rand/v2.Int64N": Random,
	"math/rand/v2.Uint64": Random, "math/rand/v2.Uint32": Random, "math/rand/v2.N": Random,
	"github.com/google/uuid.NewString": Random, "github.com/google/uuid.New": Random, "github.com/google/uuid.NewRandom": Random,
	"github.com/google/uuid.NewUUID": Random, "github.com/google/uuid.NewV6": Random, "github.com/google/uuid.NewV7": Random,
	"github.com/google/uuid.Must": "",
	"github.com/gofrs/uuid.NewV4": Random, "github.com/gofrs/uuid/v5.NewV4": Random, "github.com/gofrs/uuid/v5.NewV7": Random,
	"github.com/satori/go.uuid.NewV4": Random, "github.com/satori/go.uuid.NewV1": Random,
	"github.com/rs/xid.New": Random, "github.com/segmentio/ksuid.New": Random, "github.com/oklog/ulid/v2.Make": Random,
	"github.com/lithammer/shortuuid/v4.New": Random, "github.com/matoous/go-nanoid/v2.New": Random,
	"github.com/matoous/go-nanoid/v2.Must": Random, "github.com/teris-io/shortid.Generate": Random,
	"time.Now":    Clock,
	"os.Hostname": Process, "os.Getpid": Process, "os.Getppid": Process,
	"os.Getenv":             Input,
	"(net/http.Header).Get": Input, "(*net/http.Request).FormValue": Input, "(*net/http.Request).PostFormValue": Input,
	"(net/url.Values).Get": Input, "(*net/http.Request).Header.Get": Input, "(net/textproto.MIMEHeader).Get": Input,
	"(reflect.StructTag).Get": Reflect, "(reflect.Value).FieldByName": Reflect,
}

// Source is the environment's value that the function named full makes, or "".
func Source(full string) string { return sources[full] }

// passThrough are functions and methods whose result is their first argument (the receiver, for a method) in another
// form: nothing that tells two values apart gets lost.
var passThrough = map[string]bool{
	"(github.com/google/uuid.UUID).String": true, "github.com/google/uuid.Must": true,
	"(github.com/gofrs/uuid.UUID).String": true, "(github.com/gofrs/uuid/v5.UUID).String": true,
	"(github.com/satori/go.uuid.UUID).String": true, "github.com/satori/go.uuid.Must": true,
	"(github.com/rs/xid.ID).String": true, "(github.com/segmentio/ksuid.KSUID).String": true, "(github.com/oklog/ulid/v2.ULID).String": true,
	"(*math/big.Int).String": true, "(*math/big.Int).Int64": true,
	"encoding/hex.EncodeToString": true, "(*encoding/base64.Encoding).EncodeToString": false,
	"(time.Time).UnixNano": true, "(time.Time).Unix": true, "(time.Time).UnixMilli": true, "(time.Time).UnixMicro": true,
	"(time.Time).String": true, "(time.Time).UTC": true, "(time.Time).Local": true,
	"strings.Clone":   true,
	"reflect.ValueOf": true, "reflect.Indirect": true, "(reflect.Value).Elem": true, "(reflect.Value).Interface": true,
	"(reflect.Value).String": true, "(reflect.Value).Int": true, "(reflect.Value).Uint": true,
}

// PassesThrough reports whether the function named full returns its first argument in another form.
func PassesThrough(full string) bool { return passThrough[full] }
