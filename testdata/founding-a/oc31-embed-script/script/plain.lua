-- Deletes the lock in KEYS[1] if ARGV[1] owns it.
local owner = redis.call("GET", KEYS[1])
if owner ~= false and owner == ARGV[1] then
  return redis.call("DEL", KEYS[1])
end
return 0
