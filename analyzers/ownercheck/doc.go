package ownercheck

const doc = "ownercheck: only the current owner may release or extend a lock"
