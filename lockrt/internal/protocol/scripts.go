package protocol

// ReservationMillis is how long a freed lock is kept for the locker that was woken. It must outlast a message and an
// acquire on a slow network, and bounds what a frozen process costs the others.
const ReservationMillis = 500

// Scripts are the four things that are ever done to a lock. They are fields, not variables, so that the tests can give one
// Locker a known fault back.
type Scripts struct {
	Acquire, Release, Leave, Renew Script
}

// Default returns the scripts that are described in the package comment.
func Default() Scripts {
	return Scripts{
		Acquire: NewScript(Acquire),
		Release: NewScript(Release),
		Leave:   NewScript(Leave),
		Renew:   NewScript(Renew),
	}
}

// Acquire takes the lock, or says who is in the way.
//
//	KEYS  1 lock  2 fence  3 queue  4 reservation
//	ARGV  1 owner value
//	      2 lease in ms
//	      3 locker
//	      4 flags: "q" if this locker is to be queued when the lock is taken; "m" if more flows of it wait behind this
//	        one, so that it is queued again when the lock is acquired; "d" if it may be in the queue already
//
// Replies {1, fence}; or {0, ttl, foreign} when somebody holds it (ttl as of PTTL, -1 for a key that never expires;
// foreign is 1 when the holder is not lockrt and will wake nobody); or {2, ttl} when it is free but reserved for others.
const Acquire = `
local lock, owner, locker, flags = KEYS[1], ARGV[1], ARGV[3], ARGV[4]

-- A key of another type is an error here, and stays as it is. The second key is read only if the first is free.
local holder = redis.call('GET', lock)
local reserved = not holder and redis.call('GET', KEYS[4])
local taken = holder and holder ~= owner
local foreign = taken and string.sub(holder, 1, 8) ~= 'lockrt1.'

local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]

-- The score is the time of arrival: NX keeps the place of a locker that asks again.
local function enqueue()
  redis.pcall('ZADD', KEYS[3], 'NX', string.format('%.0f', now), locker)
  redis.pcall('PEXPIRE', KEYS[3], 10000)
end

if taken or (reserved and reserved ~= locker) then
  if string.find(flags, 'q', 1, true) and not foreign then enqueue() end
  if not taken then return {2, redis.call('PTTL', KEYS[4])} end
  return {0, redis.call('PTTL', lock), foreign and 1 or 0}
end

redis.call('SET', lock, owner, 'PX', ARGV[2])
local fence = math.max((tonumber(redis.call('GET', KEYS[2])) or 0) + 1, now)
-- Kept until an hour after the moment that the fence names, by this server's clock, even if that clock was set back.
local keep = 3600000 + math.floor((fence - now) / 1000)
redis.call('SET', KEYS[2], string.format('%.0f', fence), 'PX', string.format('%.0f', keep))
if reserved then redis.call('DEL', KEYS[4]) end

-- Flows of one process take turns with other processes: the next one queues at the end.
if string.find(flags, 'd', 1, true) then redis.pcall('ZREM', KEYS[3], locker) end
if string.find(flags, 'm', 1, true) then enqueue() end
return {1, fence}
`

// wakeNext is shared by Release and Leave: it gives a free lock to the first locker of the queue that hears of it. The
// message is the lock's name. A count of 0 means that nobody listens to that channel, so the process is gone; in a cluster
// the count covers one node only and tells nothing (counted is "0"). If PUBLISH is forbidden, the locker still has its
// reservation and finds out when it looks again.
const wakeNext = `
local function wakeNext(queue, reservation, locker, channels, counted)
  for _ = 1, 128 do
    local popped = redis.pcall('ZPOPMIN', queue)
    local first = popped[1]
    if not first then return '' end
    local heard = 1
    -- The caller tells its own flows itself, without a message.
    if first ~= locker then
      local n = redis.pcall('PUBLISH', channels .. first, KEYS[1])
      if counted == '1' and type(n) == 'number' then heard = n end
    end
    if heard > 0 then
      redis.pcall('SET', reservation, first, 'PX', 500)
      return first
    end
  end
  return ''
end
`

// Release deletes the lock if the owner value is still there, and wakes the next one.
//
//	KEYS  1 lock  2 queue  3 reservation
//	ARGV  1 owner value  2 locker  3 how the name of a wake channel begins  4 "1" if PUBLISH counts all subscribers
//
// Replies {1, locker that was woken or ”}; {0} if another owner is there; {-1} if the key is gone.
const Release = `
local holder = redis.call('GET', KEYS[1])
if not holder then return {-1} end
if holder ~= ARGV[1] then return {0} end
redis.call('DEL', KEYS[1])
if redis.call('EXISTS', KEYS[2]) == 0 then return {1, ''} end
` + wakeNext + `
return {1, wakeNext(KEYS[2], KEYS[3], ARGV[2], ARGV[3], ARGV[4])}
`

// Leave takes a locker out of the queue when nobody waits there any more, and hands on a reservation that it may have got
// in the same moment. Keys and arguments are those of Release; the owner value is not used.
//
// Replies {1, locker that was woken or ”}.
const Leave = wakeNext + `
redis.call('ZREM', KEYS[2], ARGV[2])
if redis.call('GET', KEYS[3]) ~= ARGV[2] then return {1, ''} end
redis.call('DEL', KEYS[3])
-- If it is held, its release will wake the next one.
if redis.call('EXISTS', KEYS[1]) == 1 then return {1, ''} end
return {1, wakeNext(KEYS[2], KEYS[3], ARGV[2], ARGV[3], ARGV[4])}
`

// Renew makes the lease start again, if the owner value is still there. It never creates the key.
//
//	KEYS  1 lock
//	ARGV  1 owner value  2 lease in ms
//
// Replies 1; 0 if another owner is there; -1 if the key is gone.
const Renew = `
local holder = redis.call('GET', KEYS[1])
if not holder then return -1 end
if holder ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`

// FenceSet sets a string key if no later owner has. It is fence.Set's, and is here because lockrttest has to know it too.
// Fences are below 2^53, which Lua compares exactly.
//
//	KEYS  1 value  2 fence
//	ARGV  1 fence  2 value  3 TTL of both in ms, 0 for none
//
// Replies the highest fence seen.
const FenceSet = `
local seen = tonumber(redis.call('GET', KEYS[2]) or '0')
if seen > tonumber(ARGV[1]) then return seen end
if ARGV[3] == '0' then
  redis.call('SET', KEYS[2], ARGV[1])
  redis.call('SET', KEYS[1], ARGV[2])
else
  redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[3])
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end
return tonumber(ARGV[1])
`
