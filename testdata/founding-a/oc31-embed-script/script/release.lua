-- Deletes the lock in KEYS[1] if ARGV[1] owns it, and counts in KEYS[2].
if redis.call("GET", KEYS[1]) == ARGV[1] then
  redis.call("INCR", KEYS[2])
  return redis.call("DEL", KEYS[1])
end
return 0
