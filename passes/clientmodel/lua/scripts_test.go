package lua

// scripts is the table of scripts that the reader is tested with. want is what render makes of the reading.
var scripts = []struct {
	name string
	text string
	want []string
}{
	// Acquire.
	{"acquire set nx px", `return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]ms yes[+OK] no[nil]",
	}},
	{"acquire set px nx, lower case, constants", `return redis.call("set", KEYS[1], ARGV[1], "px", 30000, "nx")`, []string{
		`set if absent KEYS[1] = ARGV[1] ttl "30000"ms yes[+OK] no[nil]`,
	}},
	{"acquire in an if", `if redis.call('set', KEYS[1], ARGV[1], 'EX', tonumber(ARGV[2]), 'NX') then return 1 end return 0`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]s yes[1] no[0]",
	}},
	{"acquire, status field", `
local r = redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
if r and r.ok == 'OK' then return 1 else return 0 end`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]ms yes[1] no[0]",
	}},
	{"acquire, status compared with a string", `
local r = redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
if r == 'OK' then return 1 else return 0 end`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]ms !status-compare",
	}},
	{"acquire setnx then pexpire", `
if redis.call('setnx', KEYS[1], ARGV[1]) == 1 then
  redis.call('pexpire', KEYS[1], ARGV[2])
  return 1
end
return 0`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]ms yes[1] no[0]",
	}},
	{"acquire setnx then expire, early return", `
local got = redis.call("SETNX", KEYS[1], ARGV[1])
if got == 0 then return false end
redis.call("EXPIRE", KEYS[1], ARGV[2] * 60)
return true`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]*60s yes[1] no[nil]",
	}},
	{"acquire setnx, expire whoever holds it", `
local got = redis.call("SETNX", KEYS[1], ARGV[1])
redis.call("EXPIRE", KEYS[1], ARGV[2])
return got`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]s yes[1] no[0]",
		"expire KEYS[1] ttl ARGV[2]s unchecked yes[0] no[1]",
	}},
	{"acquire setnx without ttl", `return redis.call('setnx', KEYS[1], ARGV[1])`, []string{"set if absent KEYS[1] = ARGV[1] yes[1] no[0]"}},
	{"acquire get then set", `
local holder = redis.call('GET', KEYS[1])
if holder == false then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1
end
return 0`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]ms yes[1] no[0]",
	}},
	{"acquire not get then setex", `
if not redis.call('get', KEYS[1]) then
  redis.call('setex', KEYS[1], 30, ARGV[1])
  return 'OK'
end`, []string{
		`set if absent KEYS[1] = ARGV[1] ttl "30"s yes['OK'] no[nil]`,
	}},
	{"acquire exists then psetex", `
if redis.call('exists', KEYS[1]) == 0 then
  return redis.call('psetex', KEYS[1], ARGV[2], ARGV[1])
end
return nil`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]ms yes[+OK] no[nil]",
	}},
	{"acquire exists, wrong branch first", `
if redis.call('exists', KEYS[1]) > 0 then return 0
else redis.call('set', KEYS[1], ARGV[1]); redis.call('expire', KEYS[1], ARGV[2]); return 1 end`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]s yes[1] no[0]",
	}},
	{"acquire, reentrant by token", `
local v = redis.call('get', KEYS[1])
if v == false or v == ARGV[1] then
  redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1
end
return 0`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]ms reentrant yes[1] no[0]",
	}},
	{"acquire or extend, two branches", `
local v = redis.call('get', KEYS[1])
if not v then
  redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
  return 1
elseif v == ARGV[1] then
  redis.call('pexpire', KEYS[1], ARGV[2])
  return 1
else
  return 0
end`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]ms reentrant yes[1] no[0]",
	}},
	{"acquire with a fence", `
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return redis.call('incr', KEYS[2])
end
return 0`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]ms yes[>0] no[0]",
		"nothing KEYS[2]",
	}},
	{"acquire reentrant hash", `
if (redis.call('exists', KEYS[1]) == 0) then
  redis.call('hincrby', KEYS[1], ARGV[2], 1);
  redis.call('pexpire', KEYS[1], ARGV[1]);
  return nil;
end;
if (redis.call('hexists', KEYS[1], ARGV[2]) == 1) then
  redis.call('hincrby', KEYS[1], ARGV[2], 1);
  redis.call('pexpire', KEYS[1], ARGV[1]);
  return nil;
end;
return redis.call('pttl', KEYS[1]);`, []string{
		"set if absent KEYS[1] = ARGV[2] ttl ARGV[1]ms reentrant yes[nil] no[*]",
	}},
	{"acquire reentrant hash, one condition", `
if ((redis.call('exists', KEYS[1]) == 0) or (redis.call('hexists', KEYS[1], ARGV[2]) == 1)) then
  redis.call('hincrby', KEYS[1], ARGV[2], 1)
  redis.call('pexpire', KEYS[1], ARGV[1])
  return nil
end
return redis.call('pttl', KEYS[1])`, []string{
		"set if absent KEYS[1] = ARGV[2] ttl ARGV[1]ms reentrant yes[nil] no[*]",
	}},
	{"acquire hash owner and count", `
local owner = redis.call('HGET', KEYS[1], 'owner')
if owner == false then
  redis.call('HMSET', KEYS[1], 'owner', ARGV[1], 'count', 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 1
end
if owner == ARGV[1] then
  redis.call('HINCRBY', KEYS[1], 'count', 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 1
end
return 0`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]ms reentrant yes[1] no[0]",
	}},
	{"acquire hsetnx", `
if redis.call('hsetnx', KEYS[1], 'owner', ARGV[1]) == 1 then
  redis.call('expire', KEYS[1], ARGV[2])
  return 1
end
return 0`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]s yes[1] no[0]",
	}},
	{"acquire, prefix in the script", `
local key = 'lock:' .. KEYS[1]
if redis.call('set', key, ARGV[1], 'NX', 'EX', ARGV[2]) then return key end
return false`, []string{
		"set if absent lock:KEYS[1] = ARGV[1] ttl ARGV[2]s yes['*'] no[nil]",
	}},
	{"acquire with nil compare", `
if redis.call('get', KEYS[1]) == nil then
  redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1
end
return 0`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]ms never yes[1] no[0] !nil-compare",
	}},
	{"acquire, refuses when not nil", `
local v = redis.call('get', KEYS[1])
if v ~= nil then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]ms never yes[1] no[0] !nil-compare",
	}},
	{"acquire all keys", `
for i = 1, #KEYS do
  if redis.call('exists', KEYS[i]) == 1 then return 0 end
end
for i = 1, #KEYS do
  redis.call('set', KEYS[i], ARGV[1], 'PX', ARGV[2])
end
return 1`, []string{
		"set if absent KEYS[?] = ARGV[1] ttl ARGV[2]ms yes[1] no[0]",
	}},
	{"acquire msetnx of a built list", `
local list = {}
for _, k in ipairs(KEYS) do
  table.insert(list, k)
  table.insert(list, ARGV[1])
end
if redis.call('msetnx', unpack(list)) ~= 1 then return false end
for _, k in ipairs(KEYS) do redis.call('pexpire', k, ARGV[2]) end
return redis.status_reply('OK')`, []string{
		"set if absent KEYS[?] = ARGV[1] ttl ARGV[2]ms yes[+OK] no[nil]",
	}},

	// Release.
	{"release, the usual", `
if redis.call("get", KEYS[1]) == ARGV[1] then
  return redis.call("del", KEYS[1])
else
  return 0
end`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"release, on one line", `if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"release, names and early return", `
local key, token = KEYS[1], ARGV[1]
local v = redis.call('GET', key)
if v ~= token then
  return 0
end
redis.call('DEL', key)
return 1`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"release, three replies", `
local val = redis.call("GET", KEYS[1])
if val == ARGV[1] then
  return redis.call("DEL", KEYS[1])
elseif val == false then
  return -1
else
  return 0
end`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[-1 0]",
	}},
	{"release, flag", `
local ok = redis.call('get', KEYS[1]) == ARGV[1]
if ok then redis.call('unlink', KEYS[1]) end
return ok`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[nil]",
	}},
	{"release, and or", `return redis.call('get', KEYS[1]) == ARGV[1] and redis.call('del', KEYS[1]) or 0`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"release, helpers", `
local function owns(k, t) return redis.call('get', k) == t end
local drop = function(k) return redis.call('del', k) end
if owns(KEYS[1], ARGV[1]) then return drop(KEYS[1]) end
return 0`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"release, aliased call", `
local call = redis.call
if call('get', KEYS[1]) ~= ARGV[1] then return 0 end
return call('del', KEYS[1])`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"release, pcall", `
local v = redis.pcall('get', KEYS[1])
if type(v) == 'table' and v.err then return v end
if v == ARGV[1] then return redis.pcall('del', KEYS[1]) end
return 0`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"release by expire 0", `
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('expire', KEYS[1], 0) end
return 0`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"release by set px 1", `
if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('set', KEYS[1], '', 'PX', 1) return 1 end
return 0`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"release two keys", `
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1], KEYS[2]) end
return 0`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1 2] no[0]",
		"delete KEYS[2] yes[2] no[0 1]",
	}},
	{"release, absent is fine", `
local v = redis.call('get', KEYS[1])
if v == false or v == ARGV[1] then redis.call('del', KEYS[1]) return 1 end
return 0`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic no[0]",
	}},
	{"release, nested", `
local v = redis.call('get', KEYS[1])
if v then
  if v == ARGV[1] then
    redis.call('del', KEYS[1])
    redis.call('publish', ARGV[2], 'free')
    return 1
  end
  return 0
end
return -1`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[-1 0]",
	}},
	{"release, hget", `
if redis.call('hget', KEYS[1], 'owner') == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"release, reentrant hash", `
if (redis.call('hexists', KEYS[1], ARGV[3]) == 0) then return nil end
local counter = redis.call('hincrby', KEYS[1], ARGV[3], -1)
if (counter > 0) then
  redis.call('pexpire', KEYS[1], ARGV[2])
  return 0
else
  redis.call('del', KEYS[1])
  redis.call('publish', KEYS[2], ARGV[1])
  return 1
end
return nil`, []string{
		"compare and expire KEYS[1] = ARGV[3] ttl ARGV[2]ms atomic yes[0] no[nil 1]",
		"compare and delete KEYS[1] = ARGV[3] atomic yes[1] no[nil 0]",
	}},
	{"release, hash owner and count", `
local h = redis.call('hmget', KEYS[1], 'owner', 'n')
if h[1] ~= ARGV[1] then return 0 end
local left = redis.call('hincrby', KEYS[1], 'n', -1)
if left <= 0 then redis.call('del', KEYS[1]) end
return 1`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic no[0]",
	}},
	{"release, json owner", `
local v = redis.call('get', KEYS[1])
if not v then return 0 end
local d = cjson.decode(v)
if d.owner == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0`, []string{
		`compare and delete KEYS[1] = <ARGV[1]==cjson.decode(get(KEYS[1])@0)["owner"]> atomic yes[1] no[0]`,
	}},
	{"release, part of the value", `
local v = redis.call('get', KEYS[1])
if v and string.sub(v, 1, 36) == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0`, []string{
		"compare and delete KEYS[1] = <ARGV[1]==string.sub(get(KEYS[1])@0,1,36)> atomic yes[1] no[0]",
	}},
	{"release, every key", `
local n = 0
for i = 1, #KEYS do
  if redis.call('get', KEYS[i]) == ARGV[1] then n = n + redis.call('del', KEYS[i]) end
end
return n`, []string{"compare and delete KEYS[?] = ARGV[1] atomic"}},
	{"release, all or nothing", `
for _, k in ipairs(KEYS) do
  if redis.call('get', k) ~= ARGV[1] then return 0 end
end
return redis.call('del', unpack(KEYS))`, []string{"compare and delete KEYS[?] = ARGV[1] atomic"}},
	{"release, delex", `return redis.call('DELEX', KEYS[1], 'IFEQ', ARGV[1])`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"release, one of two owners", `
local v = redis.call('get', KEYS[1])
if v == ARGV[1] or v == ARGV[2] then return redis.call('del', KEYS[1]) end
return 0`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"release, built value", `
if redis.call('get', KEYS[1]) == ARGV[1] .. ':' .. ARGV[2] then return redis.call('del', KEYS[1]) end
return 0`, []string{
		`compare and delete KEYS[1] = <ARGV[1]..":"..ARGV[2]> atomic yes[1] no[0]`,
	}},
	{"release, unless forced", `
if ARGV[2] == 'force' or redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0`, []string{"delete KEYS[1] maybe yes[1] no[0]"}},
	{"release, prefix", `
local k = 'lock:' .. KEYS[1] .. ':x'
if redis.call('get', k) == 'o-' .. ARGV[1] then return redis.call('del', k) end
return 0`, []string{
		"compare and delete lock:KEYS[1]:x = o-ARGV[1] atomic yes[1] no[0]",
	}},

	// Releases that do not check.
	{"delete", `return redis.call('del', KEYS[1])`, []string{"delete KEYS[1] unchecked yes[1] no[0]"}},
	{"delete if there", `if redis.call('exists', KEYS[1]) == 1 then redis.call('del', KEYS[1]) return 1 end return 0`, []string{"delete KEYS[1] unchecked yes[1] no[0]"}},
	{"delete on both branches", `
if redis.call('get', KEYS[1]) == ARGV[1] then
  redis.call('del', KEYS[1])
  return 1
else
  redis.call('del', KEYS[1])
  return 0
end`, []string{"delete KEYS[1] unchecked yes[1]"}},
	{"delete after a compare that only sets the reply", `
local mine = 0
if redis.call('get', KEYS[1]) == ARGV[1] then mine = 1 end
redis.call('del', KEYS[1])
return mine`, []string{"delete KEYS[1] unchecked yes[1]"}},
	{"delete, wrong polarity", `
if redis.call('get', KEYS[1]) ~= ARGV[1] then return redis.call('del', KEYS[1]) end
return 0`, []string{
		"delete KEYS[1] unchecked yes[1] no[0] !compare-inverted",
	}},
	{"delete, wrong branch", `
if redis.call('get', KEYS[1]) == ARGV[1] then return 0 else return redis.call('del', KEYS[1]) end`, []string{
		"delete KEYS[1] unchecked yes[1] no[0] !compare-inverted",
	}},
	{"delete under an option", `if ARGV[1] == '1' then return redis.call('del', KEYS[1]) end return 0`, []string{"delete KEYS[1] unchecked maybe yes[1] no[0]"}},
	{"getdel", `return redis.call('getdel', KEYS[1])`, []string{"delete KEYS[1] unchecked yes['*'] no[nil]"}},
	{"delete, compared with its key", `
if redis.call('get', KEYS[1]) == KEYS[1] then return redis.call('del', KEYS[1]) end return 0`, []string{
		"compare and delete KEYS[1] = KEYS[1] atomic yes[1] no[0] !compares-with-key",
	}},
	{"delete, token passed as a key", `
if redis.call('get', KEYS[1]) == KEYS[2] then return redis.call('del', KEYS[1]) end return 0`, []string{
		"compare and delete KEYS[1] = KEYS[2] atomic yes[1] no[0]",
	}},
	{"delete, compared with another lock's key", `
if redis.call('get', KEYS[1]) == KEYS[2] then return redis.call('del', KEYS[1], KEYS[2]) end return 0`, []string{
		"compare and delete KEYS[1] = KEYS[2] atomic yes[1 2] no[0] !compares-with-key",
		"delete KEYS[2] maybe yes[2] no[0 1]",
	}},
	{"delete another key", `
if redis.call('get', KEYS[2]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`, []string{
		"delete KEYS[1] unchecked yes[1] no[0] !compares-other-key",
		"get KEYS[2]",
	}},
	{"delete, quoted argument", `
if redis.call('get', KEYS[1]) == 'ARGV[1]' then return redis.call('del', KEYS[1]) end return 0`, []string{
		`compare and delete KEYS[1] = "ARGV[1]" atomic yes[1] no[0] !compares-constant`,
	}},
	{"delete, constant", `
if redis.call('get', KEYS[1]) == 'locked' then return redis.call('del', KEYS[1]) end return 0`, []string{
		`compare and delete KEYS[1] = "locked" atomic yes[1] no[0]`,
	}},
	{"delete, number instead of string", `
if redis.call('get', KEYS[1]) == 1 then return redis.call('del', KEYS[1]) end return 0`, []string{
		`compare and delete KEYS[1] = "1" atomic never yes[1] no[0] !compares-type`,
	}},
	{"delete, tonumber of the argument", `
if redis.call('get', KEYS[1]) == tonumber(ARGV[1]) then return redis.call('del', KEYS[1]) end return 0`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic never yes[1] no[0] !compares-type",
	}},
	{"delete, exists compared with the token", `
if redis.call('exists', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`, []string{
		"delete KEYS[1] unchecked maybe never yes[1] no[0] !compares-type",
	}},
	{"delete, not binds tighter", `
if not redis.call('get', KEYS[1]) == ARGV[1] then return 0 end
return redis.call('del', KEYS[1])`, []string{
		"delete KEYS[1] unchecked yes[1] no[0] !compares-type",
	}},
	{"delete, both as numbers", `
if tonumber(redis.call('get', KEYS[1])) == tonumber(ARGV[1]) then return redis.call('del', KEYS[1]) end return 0`, []string{"delete KEYS[1] maybe yes[1] no[0]"}},

	// Extend.
	{"extend pexpire", `
if redis.call("get", KEYS[1]) == ARGV[1] then
  return redis.call("pexpire", KEYS[1], ARGV[2])
else
  return 0
end`, []string{
		"compare and expire KEYS[1] = ARGV[1] ttl ARGV[2]ms atomic yes[1] no[0]",
	}},
	{"extend set xx", `
if redis.call("get", KEYS[1]) == ARGV[1] then
  return redis.call("set", KEYS[1], ARGV[1], "XX", "PX", ARGV[2])
end
return redis.error_reply('ERR not held')`, []string{
		"compare and expire KEYS[1] = ARGV[1] ttl ARGV[2]ms atomic yes[+OK] no[-]",
	}},
	{"extend set ifeq", `return redis.call('SET', KEYS[1], ARGV[1], 'IFEQ', ARGV[1], 'PX', ARGV[2])`, []string{
		"compare and expire KEYS[1] = ARGV[1] ttl ARGV[2]ms atomic yes[+OK] no[nil]",
	}},
	{"extend by more time", `
local token = redis.call('get', KEYS[1])
if not token or token ~= ARGV[1] then
  return 0
end
local expiration = redis.call('pttl', KEYS[1])
if not expiration then
  expiration = 0
end
if expiration < 0 then
  return 0
end
local newttl = ARGV[2]
if ARGV[3] == "0" then
  newttl = ARGV[2] + expiration
end
redis.call('pexpire', KEYS[1], newttl)
return 1`, []string{
		"compare and expire KEYS[1] = ARGV[1] ttl ARGV[2]ms atomic yes[1] no[0]",
	}},
	{"extend hash", `
if (redis.call('hexists', KEYS[1], ARGV[2]) == 1) then
  redis.call('pexpire', KEYS[1], ARGV[1])
  return 1
end
return 0`, []string{
		"compare and expire KEYS[1] = ARGV[2] ttl ARGV[1]ms atomic yes[1] no[0]",
	}},
	{"extend without a check", `return redis.call('expire', KEYS[1], ARGV[1])`, []string{
		"expire KEYS[1] ttl ARGV[1]s unchecked yes[1] no[0]",
	}},
	{"extend if there", `if redis.call('exists', KEYS[1]) == 1 then return redis.call('pexpire', KEYS[1], ARGV[1]) end return 0`, []string{
		"expire KEYS[1] ttl ARGV[1]ms unchecked yes[1] no[0]",
	}},
	{"extend set xx without a check", `return redis.call('set', KEYS[1], ARGV[1], 'XX', 'EX', 10)`, []string{
		`set if present KEYS[1] = ARGV[1] ttl "10"s unchecked yes[+OK] no[nil]`,
	}},
	{"extend, compared with the ttl", `
if redis.call('get', KEYS[1]) == ARGV[2] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0`, []string{
		"compare and expire KEYS[1] = ARGV[2] ttl ARGV[2]ms atomic yes[1] no[0] !compares-with-ttl",
	}},
	{"hand over", `
if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3]) return 1 end return 0`, []string{
		"compare and set KEYS[1] = ARGV[1] ttl ARGV[3]ms atomic yes[1] no[0]",
	}},
	{"extend, seconds times 1000", `
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], math.floor(tonumber(ARGV[2]) * 1000)) end return 0`, []string{
		"compare and expire KEYS[1] = ARGV[1] ttl ARGV[2]*1000ms atomic yes[1] no[0]",
	}},

	// What is no lock.
	{"rate limiter", `
local n = redis.call('INCR', KEYS[1])
if n == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
if n > tonumber(ARGV[2]) then return 0 end
return 1`, []string{"expire KEYS[1] ttl ARGV[1]ms maybe", "counts"}},
	{"rate limiter, set first", `
local cur = redis.call('get', KEYS[1])
if not cur then
  redis.call('set', KEYS[1], 1, 'EX', ARGV[2])
  return 1
end
if tonumber(cur) >= tonumber(ARGV[1]) then return 0 end
redis.call('incr', KEYS[1])
return 1`, []string{
		`set KEYS[1] = "1" ttl ARGV[2]s unchecked no[0]`,
		"counts",
	}},
	{"sliding window", `
local now = tonumber(ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now - tonumber(ARGV[2]))
if redis.call('ZCARD', KEYS[1]) < tonumber(ARGV[3]) then
  redis.call('ZADD', KEYS[1], now, ARGV[4])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 1
end
return 0`, []string{
		"expire KEYS[1] ttl ARGV[2]ms maybe no[0]",
		"counts",
	}},
	{"token bucket", `
local rate, cap = tonumber(ARGV[1]), tonumber(ARGV[2])
local now = redis.call('TIME')[1]
local b = redis.call('HMGET', KEYS[1], 'tokens', 'ts')
local tokens = tonumber(b[1])
if tokens == nil then tokens = cap end
local last = tonumber(b[2]) or now
tokens = math.min(cap, tokens + (now - last) * rate)
local ok = tokens >= 1
if ok then tokens = tokens - 1 end
redis.call('HMSET', KEYS[1], 'tokens', tokens, 'ts', now)
redis.call('EXPIRE', KEYS[1], 60)
return ok and 1 or 0`, []string{`expire KEYS[1] ttl "60"s`}},
	{"token bucket, hash made first", `
if redis.call('exists', KEYS[1]) == 0 then
  redis.call('hset', KEYS[1], 'left', ARGV[1])
  redis.call('expire', KEYS[1], ARGV[2])
end
if tonumber(redis.call('hget', KEYS[1], 'left')) <= 0 then return 0 end
redis.call('hincrby', KEYS[1], 'left', -1)
return 1`, []string{"nothing KEYS[1] maybe", "counts"}},
	{"semaphore", `
local c = tonumber(redis.call('get', KEYS[1]) or '0')
if c < tonumber(ARGV[1]) then redis.call('incr', KEYS[1]) redis.call('expire', KEYS[1], ARGV[2]) return 1 end
return 0`, []string{
		"expire KEYS[1] ttl ARGV[2]s maybe no[0]",
		"counts",
	}},
	{"semaphore release", `
local c = redis.call('decr', KEYS[1])
if c <= 0 then redis.call('del', KEYS[1]) end
return c`, []string{"delete KEYS[1] maybe", "counts"}},
	{"queue", `
local v = redis.call('rpop', KEYS[1])
if v then redis.call('lpush', KEYS[2], v) end
return v`, []string{
		"nothing KEYS[1]",
		"nothing KEYS[2] maybe",
		"counts",
	}},
	{"read", `return redis.call('get', KEYS[1])`, []string{"get KEYS[1]"}},
	{"cache", `redis.call('set', KEYS[1], ARGV[1], 'EX', 300) return 1`, []string{
		`set KEYS[1] = ARGV[1] ttl "300"s unchecked yes[1]`,
	}},
	{"newest wins", `
local v = redis.call('get', KEYS[1])
if not v or tonumber(v) < tonumber(ARGV[1]) then redis.call('set', KEYS[1], ARGV[1]) return 1 end
return 0`, []string{"set KEYS[1] = ARGV[1] maybe yes[1] no[0]"}},
	{"stale lock is taken over", `
local v = redis.call('get', KEYS[1])
if v and tonumber(v) < tonumber(ARGV[2]) then redis.call('del', KEYS[1]) end
return redis.call('setnx', KEYS[1], ARGV[1])`, []string{
		"set if absent KEYS[1] = ARGV[1] yes[1] no[0]",
		"delete KEYS[1] maybe no[0]",
	}},
	{"registry in a hash", `
if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then redis.call('hset', KEYS[1], ARGV[1], ARGV[2]) return 1 end
return 0`, []string{"nothing KEYS[1]"}},
	{"lock per field", `
if redis.call('hget', KEYS[1], ARGV[1]) == ARGV[2] then return redis.call('hdel', KEYS[1], ARGV[1]) end
return 0`, []string{"nothing KEYS[1] maybe"}},
	{"sweep", `
for _, k in ipairs(redis.call('keys', ARGV[1])) do redis.call('del', k) end
return 1`, []string{"delete <element#3.v> unchecked maybe"}},

	// Faults of the script.
	{"syntax", "if redis.call('get', KEYS[1]) == ARGV[1] then\n return redis.call('del', KEYS[1]\nelse return 0 end", []string{"fault syntax"}},
	{"syntax, no end", `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1])`, []string{"fault syntax"}},
	{"syntax, not equal as in C", `if redis.call('get', KEYS[1]) != ARGV[1] then return 0 end return redis.call('del', KEYS[1])`, []string{"fault syntax"}},
	{"index zero", `if redis.call('get', KEYS[0]) == ARGV[1] then return redis.call('del', KEYS[0]) end return 0`, []string{"fault key-index-zero"}},
	{"lower case parameters", `if redis.call('get', keys[1]) == argv[1] then return redis.call('del', keys[1]) end return 0`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic never yes[1] no[0]",
		"fault unknown-global",
		"fault unknown-global",
	}},
	{"global variable", `v = redis.call('get', KEYS[1]) if v == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic never yes[1] no[0]",
		"fault global-write",
	}},
	{"misspelt local", `local value = redis.call('get', KEYS[1]) if valeu == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`, []string{"get KEYS[1]", "fault unknown-global"}},

	// More shapes.
	{"acquire, owner's keys may be taken over", `
local function mine()
  local n = tonumber(ARGV[2])
  for _, k in ipairs(KEYS) do
    if redis.call('getrange', k, 0, n - 1) ~= string.sub(ARGV[1], 1, n) then return false end
  end
  return true
end
local pairs_to_set = {}
for _, k in ipairs(KEYS) do
  table.insert(pairs_to_set, k)
  table.insert(pairs_to_set, ARGV[1])
end
if redis.call('msetnx', unpack(pairs_to_set)) ~= 1 then
  if mine() == false then return false end
  redis.call('mset', unpack(pairs_to_set))
end
for _, k in ipairs(KEYS) do redis.call('pexpire', k, ARGV[3]) end
return redis.status_reply('OK')`, []string{
		"set if absent KEYS[?] = ARGV[1] ttl ARGV[3]ms reentrant yes[+OK] no[nil]",
	}},
	{"acquire fair", `
if redis.call('exists', KEYS[1]) == 0 and (redis.call('exists', KEYS[2]) == 0 or redis.call('lindex', KEYS[2], 0) == ARGV[2]) then
  redis.call('lpop', KEYS[2])
  redis.call('zrem', KEYS[3], ARGV[2])
  redis.call('hset', KEYS[1], ARGV[2], 1)
  redis.call('pexpire', KEYS[1], ARGV[1])
  return nil
end
return 1`, []string{
		"set if absent KEYS[1] = ARGV[2] ttl ARGV[1]ms yes[nil] no[1]",
		"nothing KEYS[2]",
		"nothing KEYS[3]",
	}},
	{"acquire, read lock", `
local mode = redis.call('hget', KEYS[1], 'mode')
if mode == false then
  redis.call('hset', KEYS[1], 'mode', 'read')
  redis.call('hset', KEYS[1], ARGV[2], 1)
  redis.call('pexpire', KEYS[1], ARGV[1])
  return nil
end
if mode == 'read' then
  redis.call('hincrby', KEYS[1], ARGV[2], 1)
  redis.call('pexpire', KEYS[1], ARGV[1])
  return nil
end
return redis.call('pttl', KEYS[1])`, []string{
		"set if absent KEYS[1] = ARGV[2] ttl ARGV[1]ms yes[nil] no[*]",
		`compare and expire KEYS[1] = "read" ttl ARGV[1]ms atomic no[*]`,
	}},
	{"acquire, default ttl", `
local ttl = tonumber(ARGV[2]) or 30
return redis.call('set', KEYS[1], ARGV[1], 'NX', 'EX', ttl)`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]s yes[+OK] no[nil]",
	}},
	{"acquire, ttl if given", `
local ok = redis.call('setnx', KEYS[1], ARGV[1])
if ok == 1 and ARGV[2] then redis.call('expire', KEYS[1], ARGV[2]) end
return ok`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]s yes[1] no[0]",
	}},
	{"acquire, checks its arguments", `
if #KEYS ~= 1 or #ARGV < 2 then return redis.error_reply('wrong number of arguments') end
if ARGV[1] == '' then return 0 end
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
return 0`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]ms yes[1] no[0 -]",
	}},
	{"acquire, format and concat", `
local key = string.format('%s:%s', 'lock', KEYS[1])
local owner = table.concat({'o', ARGV[1]}, '-')
return redis.call('set', key, owner, 'nx', 'ex', 10)`, []string{
		`set if absent lock:KEYS[1] = o-ARGV[1] ttl "10"s yes[+OK] no[nil]`,
	}},
	{"acquire, deadline from the clock", `
local t = redis.call('time')
if redis.call('setnx', KEYS[1], ARGV[1]) == 1 then redis.call('expireat', KEYS[1], t[1] + 30) return 1 end
return 0`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl <(TIME#1[1]+30)>us yes[1] no[0]",
	}},
	{"acquire, raises an error", `
if redis.call('exists', KEYS[1]) == 1 then error('taken') end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 'ok'`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]ms yes['ok'] no[-]",
	}},
	{"acquire, two replies at once", `
if redis.call('setnx', KEYS[1], ARGV[1]) == 1 then redis.call('pexpire', KEYS[1], ARGV[2]) return {1, ARGV[2]} end
return {0, redis.call('pttl', KEYS[1])}`, []string{"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]ms"}},
	{"acquire, setnx is true", `
if redis.call('setnx', KEYS[1], ARGV[1]) == true then redis.call('expire', KEYS[1], 10) return 1 end
return 0`, []string{"set if absent KEYS[1] = ARGV[1] !compares-type"}},
	{"acquire, set with get", `
local old = redis.call('set', KEYS[1], ARGV[1], 'NX', 'GET', 'PX', ARGV[2])
if old == false then return 1 end
return 0`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]ms yes[1] no[0]",
	}},
	{"acquire, two locks", `
if redis.call('exists', KEYS[1]) == 1 or redis.call('exists', KEYS[2]) == 1 then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('set', KEYS[2], ARGV[1], 'PX', ARGV[2])
return 1`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]ms yes[1] no[0]",
		"set if absent KEYS[2] = ARGV[1] ttl ARGV[2]ms yes[1] no[0]",
	}},
	{"acquire, second fails and the first is undone", `
if redis.call('setnx', KEYS[1], ARGV[1]) == 0 then return 0 end
if redis.call('setnx', KEYS[2], ARGV[1]) == 0 then
  redis.call('del', KEYS[1])
  return 0
end
redis.call('pexpire', KEYS[1], ARGV[2])
redis.call('pexpire', KEYS[2], ARGV[2])
return 1`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]ms yes[1] no[0]",
		"set if absent KEYS[2] = ARGV[1] ttl ARGV[2]ms yes[1] no[0]",
	}},
	{"cache, get or set", `
local v = redis.call('get', KEYS[1])
if v then return v end
redis.call('set', KEYS[1], ARGV[1], 'EX', ARGV[2])
return ARGV[1]`, []string{"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]s"}},
	{"release, every comparison refuses", `
local v = redis.call('get', KEYS[1])
if v ~= ARGV[1] and v ~= ARGV[2] then return 0 end
return redis.call('del', KEYS[1])`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"release, too late a comparison", `
redis.call('del', KEYS[1])
if redis.call('get', KEYS[1]) == ARGV[1] then return 1 end
return 0`, []string{"delete KEYS[1] unchecked"}},
	{"release, hgetall", `
local h = redis.call('hgetall', KEYS[1])
if h[2] == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0`, []string{
		"compare and delete KEYS[1] = <ARGV[1]==HGETALL#1[2]> atomic yes[1] no[0]",
	}},
	{"release, field of a hash", `
if redis.call('hget', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
redis.call('hdel', KEYS[1], 'owner')
return 1`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"release, two reads compared", `
if redis.call('get', KEYS[1]) == redis.call('get', KEYS[2]) then return redis.call('del', KEYS[1]) end
return 0`, []string{"delete KEYS[1] maybe yes[1] no[0]", "get KEYS[2]"}},
	{"release, closure", `
local ok, n = pcall(function()
  if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
  return 0
end)
if ok then return n end
return -1`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"release, variable arguments", `
local function run(cmd, ...)
  return redis.call(cmd, ...)
end
if run('get', KEYS[1]) == ARGV[1] then return run('del', KEYS[1]) end
return 0`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"release, retry loop", `
for i = 1, 3 do
  if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
end
return 0`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"release, while loop", `
local done = false
while not done do
  if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call('del', KEYS[1])
  done = true
end
return 1`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic maybe no[0]",
	}},
	{"release, swapped variables", `
local a, b = ARGV[1], redis.call('get', KEYS[1])
a, b = b, a
if a == b then return redis.call('del', KEYS[1]) end
return 0`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"release, shadowed variable", `
local v = redis.call('get', KEYS[1])
do local v = ARGV[1] end
if v == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"release, server instead of redis", `
if server.call('get', KEYS[1]) == ARGV[1] then return server.call('del', KEYS[1]) end
return 0`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"release and data", `
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('set', KEYS[2], ARGV[2])
redis.call('del', KEYS[1])
return 1`, []string{
		"set KEYS[2] = ARGV[2] yes[1] no[0]",
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"release, the key is an argument", `
if redis.call('get', ARGV[1]) == ARGV[2] then return redis.call('del', ARGV[1]) end
return 0`, []string{
		"compare and delete ARGV[1] = ARGV[2] atomic yes[1] no[0]",
	}},
	{"release, false compared with the token", `
local v = redis.call('get', KEYS[1])
if v == nil then return 0 end
if v == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"extend, wrong polarity", `
if redis.call('get', KEYS[1]) == ARGV[1] then return 0 end
return redis.call('pexpire', KEYS[1], ARGV[2])`, []string{
		"expire KEYS[1] ttl ARGV[2]ms unchecked yes[1] no[0] !compare-inverted",
	}},
	{"extend, keep the ttl", `return redis.call('set', KEYS[1], ARGV[1], 'KEEPTTL')`, []string{"set KEYS[1] = ARGV[1] unchecked yes[+OK]"}},
	{"status of a job", `
if redis.call('get', KEYS[1]) == 'done' then redis.call('expire', KEYS[1], 60) end
return 1`, []string{
		`compare and expire KEYS[1] = "done" ttl "60"s atomic`,
	}},
	{"fencing by number", `
local cur = tonumber(redis.call('get', KEYS[1]) or '0')
if tonumber(ARGV[1]) > cur then redis.call('set', KEYS[1], ARGV[1]) return 1 end
return 0`, []string{"set KEYS[1] = ARGV[1] maybe yes[1] no[0]"}},
	{"a function that nobody calls", `
local function drop() return redis.call('del', KEYS[1]) end
return 1`, nil},
	{"recursion without end", `
local function f(n) return f(n + 1) end
return f(1)`, []string{"unknown"}},

	{"acquire, setnx tested for truth", `
if redis.call('setnx', KEYS[1], ARGV[1]) then
  redis.call('expire', KEYS[1], ARGV[2])
  return 1
end
return 0`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]s !zero-is-true",
		"expire KEYS[1] ttl ARGV[2]s unchecked",
	}},
	{"acquire, exists tested for truth", `
if redis.call('exists', KEYS[1]) then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'EX', ARGV[2])
return 1`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]s never yes[1] no[0] !zero-is-true",
	}},
	{"acquire, setnx tested for truth and then the owner compared", `
if redis.call('setnx', KEYS[1], ARGV[1]) then
  if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('expire', KEYS[1], ARGV[2]) end
  return 0
end`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]s reentrant yes[1] no[0]",
	}},
	{"acquire hash, owner passed as a key", `
local name, me = KEYS[1], KEYS[2]
if redis.call('exists', name) == 0 then
  redis.call('hset', name, me, 1)
  redis.call('pexpire', name, ARGV[1])
  return 1
end
if redis.call('hexists', name, me) == 1 then
  redis.call('hincrby', name, me, 1)
  redis.call('pexpire', name, ARGV[1])
  return 1
end
return 0`, []string{
		"set if absent KEYS[1] = KEYS[2] ttl ARGV[1]ms reentrant yes[1] no[0]",
	}},
	{"acquire, same owner first", `
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 'OK'
else
  return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
end`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]ms reentrant yes['OK' +OK] no[nil]",
	}},
	{"acquire, looks at the value if taken", `
local result = redis.call('setnx', KEYS[1], ARGV[1])
if result == 1 then
  redis.call('pexpire', KEYS[1], ARGV[2])
else
  result = -1
  local value = redis.call('get', KEYS[1])
  if (value == ARGV[1]) then
    result = 1
    redis.call('pexpire', KEYS[1], ARGV[2])
  end
end
return result`, []string{
		"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]ms reentrant yes[1] no[-1]",
	}},
	{"a task is recorded and queued", `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'msg', ARGV[1], 'state', 'pending')
redis.call('LPUSH', KEYS[2], ARGV[2])
return 1`, []string{"nothing KEYS[2]", "nothing KEYS[1]", "counts"}},
	{"data written under a lock", `
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
if redis.call('set', KEYS[2], ARGV[2], 'XX', 'EX', ARGV[3]) then return 1 end
return 0`, []string{
		"set KEYS[2] = ARGV[2] ttl ARGV[3]s yes[1] no[0]",
		"get KEYS[1]",
	}},
	{"release, json checked with care", `
local raw = redis.call('get', KEYS[1])
if not raw then return 0 end
local ok, value = pcall(cjson.decode, raw)
if ok and type(value) == 'table' and value.owner == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0`, []string{
		`compare and delete KEYS[1] = <ARGV[1]==cjson.decode(get(KEYS[1])@0)["owner"]> atomic yes[1] no[0]`,
	}},
	{"release, key for keys", `if redis.call('get', KEY[1]) == ARGV[1] then return redis.call('del', KEY[1]) end return 0`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic never yes[1] no[0]",
		"fault unknown-global",
	}},
	{"functions in a table", `
local lock = {}
lock.take = function(k) return redis.call('setnx', k, 1) end
lock.free = function(k) return redis.call('del', k) end
return lock[ARGV[1]](KEYS[1])`, []string{"unknown"}},
	{"a function from a table", `
local lock = {}
lock.free = function(k, t)
  if redis.call('get', k) == t then return redis.call('del', k) end
  return 0
end
return lock.free(KEYS[1], ARGV[1])`, []string{
		"compare and delete KEYS[1] = ARGV[1] atomic yes[1] no[0]",
	}},
	{"semaphore in a hash", `
if redis.call('hlen', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('hset', KEYS[1], ARGV[1], ARGV[3])
return 1`, []string{"nothing KEYS[1]"}},

	{"release, an idle comparison first", `
local mine = redis.call('get', KEYS[1]) == ARGV[1]
if redis.call('get', KEYS[1]) == ARGV[2] then return redis.call('del', KEYS[1]) end
return 0`, []string{"compare and delete KEYS[1] = ARGV[2] atomic yes[1] no[0]"}},
	{"acquire, the holder is the reply", `
if redis.call('exists', KEYS[1]) == 0 then return redis.call('psetex', KEYS[1], ARGV[2], ARGV[1]) end
return redis.call('get', KEYS[1])`, []string{"set if absent KEYS[1] = ARGV[1] ttl ARGV[2]ms"}},
	{"acquire, the ttl is dropped again", `
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  redis.call('set', KEYS[1], ARGV[1])
  return 1
end
return 0`, []string{"set if absent KEYS[1] = ARGV[1] yes[1] no[0]"}},
	{"acquire, the ttl is persisted away", `
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  redis.call('persist', KEYS[1])
  return 1
end
return 0`, []string{"set if absent KEYS[1] = ARGV[1] yes[1] no[0]"}},
	{"acquire and give back", `
if redis.call('setnx', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('lpush', KEYS[2], ARGV[2])
redis.call('del', KEYS[1])
return 1`, []string{"nothing KEYS[2]", "nothing KEYS[1]", "counts"}},

	// What cannot be read.
	{"command is an argument", `return redis.call(ARGV[1], KEYS[1])`, []string{"unknown"}},
	{"option is an argument", `return redis.call('set', KEYS[1], ARGV[1], ARGV[3], 'PX', ARGV[2])`, []string{"nothing KEYS[1]", "unknown"}},
	{"goto is a name", `local goto = 1 return goto`, []string{"unknown"}},
	{"empty", ``, nil},
	{"shebang", "#!lua flags=no-writes\nreturn redis.call('get', KEYS[1])", []string{"get KEYS[1]"}},
}
