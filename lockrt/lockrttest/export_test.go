package lockrttest

// Mute makes the server say nothing on connections with a subscription: they are open, and nothing comes.
func Mute(s *Server, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if len(c.subs) > 0 {
			c.mu.Lock()
			c.muted = on
			c.mu.Unlock()
		}
	}
}
