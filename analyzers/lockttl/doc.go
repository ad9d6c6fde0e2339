package lockttl

const doc = "lockttl: how long a lock stays when nobody releases it"
